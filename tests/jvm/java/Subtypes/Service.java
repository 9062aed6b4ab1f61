interface Service {
    int work(int n);
}
