"""What data files add up to: snapshots, with rows, trees and estimates."""
