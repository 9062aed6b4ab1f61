package books;

import java.util.ArrayList;
import java.util.List;

/** A folder with documents and other folders. */
final class Folder {
    private final List<Folder> folders = new ArrayList<>();
    private final int documents;

    Folder(int documents) {
        this.documents = documents;
    }

    int size() {
        int size = documents;
        for (Folder folder : folders) size += folder.size();
        return size;
    }

    static Folder example(int levels) {
        Folder folder = new Folder(levels);
        for (int i = 0; i < levels - 1; i++) folder.folders.add(example(levels - 1));
        return folder;
    }
}
