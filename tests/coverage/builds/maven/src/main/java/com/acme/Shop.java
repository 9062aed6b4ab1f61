package com.acme;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

@Configuration
public class Shop {
    @Bean
    public Store store() {
        return new Store();
    }

    @Bean
    public Orders orders() {
        return new Orders(store());
    }

    @Bean
    @Lazy
    public String never() {
        return "never";
    }
}
