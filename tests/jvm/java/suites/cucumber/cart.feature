Feature: Cart
  Scenario: one thing
    Given 1 leaves

  Scenario: fails
    Given 3 leaves
    Then it fails

  Scenario Outline: several
    Given <n> leaves

    Examples:
      | n |
      | 5 |
      | 6 |
