(ns shop.orders)

(defn work [n] (+ n 1))

(defn place-order!
  ([name] (place-order! name 2))
  ([name n] (+ (work n) (count name))))

(defn valid? [n] (pos? n))

(defn each-item [numbers]
  (reduce + (map (fn [n]
                   (work n)) numbers)))

(defn all-of [& numbers] (apply + numbers))

(println (+ (place-order! "x") (place-order! "y" 3) (each-item [1 2]) (if (valid? 1) 1 0) (all-of 1 2 3)))
