package com.acme;

public class Unused {
    public int never(int n) {
        return n > 0 ? n : -n;
    }
}
