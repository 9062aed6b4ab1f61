package shop

/** Nobody calls it as a method, so its class is never loaded. */
inline fun hashed(n: Int): Int {
    var h = n
    for (i in 1..n) {
        for (j in 1..30) h = h * 33 + (h ushr 5)
    }
    return h
}
