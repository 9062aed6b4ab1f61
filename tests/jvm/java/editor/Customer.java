package com.acme;

public class Customer extends Party {
    String[] names = {};
}

class Party {
    long id;
    Customer parent;
}
