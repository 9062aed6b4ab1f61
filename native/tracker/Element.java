package java.lang;

import java.lang.ref.WeakReference;
import jdk.internal.vm.annotation.Stable;

/** An element of KNOWN (Keys), of a chain in FIELDS (Fields) or of a table in CALLS (Waiting): it forgets an object
 * that nobody uses any more. */
final class Element extends WeakReference<Object> {
    @Stable final int slot;
    @Stable final int key;
    @Stable long at;
    @Stable Element next;
    Object[] kept;

    Element(Object value, int slot, int key) {
        super(value);
        this.slot = slot;
        this.key = key;
    }
}
