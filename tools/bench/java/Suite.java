import static org.junit.jupiter.api.Assertions.assertEquals;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** A thousand small tests of a database in memory. */
class Suite {
    static void run(int rows, String query, int expected) throws Exception {
        try (Connection c = DriverManager.getConnection("jdbc:h2:mem:"); Statement s = c.createStatement()) {
            s.execute("create table t(id int primary key, name varchar, n int)");
            for (int i = 0; i < rows; i++) s.execute("insert into t values (" + i + ", 'name" + i + "', " + i % 3 + ")");
            try (ResultSet found = s.executeQuery(query)) {
                int n = 0;
                while (found.next()) n++;
                assertEquals(expected, n);
            }
        }
    }

    @RepeatedTest(250)
    void all(RepetitionInfo i) throws Exception {
        run(20, "select * from t", 20);
    }

    @RepeatedTest(250)
    void one(RepetitionInfo i) throws Exception {
        run(20, "select name from t where id = 7", 1);
    }

    @RepeatedTest(250)
    void groups(RepetitionInfo i) throws Exception {
        run(20, "select n, count(*) from t group by n order by n", 3);
    }

    @RepeatedTest(250)
    void join(RepetitionInfo i) throws Exception {
        run(10, "select a.name from t a join t b on a.id = b.n where a.name like 'name%'", 10);
    }
}
