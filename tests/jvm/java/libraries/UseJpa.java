import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.PersistenceConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** 2 orders with 3 lines each: stored, found, read by queries, changed, removed. The argument: the provider's class. */
public class UseJpa {
    @Entity(name = "Purchase")
    public static class Order {
        @Id long id;
        String state = "NEW";
        @OneToMany(mappedBy = "order", cascade = CascadeType.ALL) List<Line> lines = new ArrayList<>();
    }

    @Entity
    public static class Line {
        @Id long id;
        @ManyToOne Order order;
    }

    static EntityManagerFactory factory;

    static void in(Consumer<EntityManager> work) {
        try (EntityManager manager = factory.createEntityManager()) {
            manager.getTransaction().begin();
            work.accept(manager);
            manager.getTransaction().commit();
        }
    }

    static Order order(long id) {
        Order order = new Order();
        order.id = id;
        for (int i = 0; i < 3; i++) {
            Line line = new Line();
            line.id = 10 * id + i;
            line.order = order;
            order.lines.add(line);
        }
        return order;
    }

    public static void main(String[] arguments) {
        factory = new PersistenceConfiguration("shop")
                .provider(arguments[0])
                .managedClass(Order.class)
                .managedClass(Line.class)
                .property("jakarta.persistence.jdbc.url", "jdbc:h2:mem:jpa;DB_CLOSE_DELAY=-1")
                .property("jakarta.persistence.schema-generation.database.action", "create")
                .property("eclipselink.logging.level", "SEVERE")
                .property("eclipselink.cache.shared.default", "false")
                .createEntityManagerFactory();
        in(manager -> {
            manager.persist(order(1));
            manager.persist(order(2));
        });
        in(manager -> {
            manager.find(Order.class, 1L);
            manager.find(Order.class, 1L);
            manager.find(Order.class, 2L);
        });
        in(manager -> {
            for (int i = 1; i < 3; i++) {
                List<Order> found = manager.createQuery("select o from Purchase o where o.id <= " + i, Order.class).getResultList();
                for (Order order : found) order.lines.size();
            }
            manager.createNativeQuery("select 1").getSingleResult();
        });
        in(manager -> manager.createQuery("update Purchase o set o.state = 'OLD' where o.id = 2").executeUpdate());
        in(manager -> {
            Order changed = order(1);
            changed.state = "SENT";
            manager.merge(changed);
            manager.flush();
        });
        in(manager -> manager.remove(manager.find(Order.class, 1L)));
        factory.close();
    }
}
