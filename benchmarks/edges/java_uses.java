// Write where javac leads each use of a name: java java_uses.java FOLDER USES.json
// What FOLDER imports from elsewhere than the JDK is unknown to it, and uses of that are left out.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.util.*;
import javax.tools.*;

class JavaUses extends TreePathScanner<Void, Void> {
    private final Path root;
    private final Trees trees;
    private final Types types;
    private final Elements elements;
    private final List<TypeElement> classes = new ArrayList<>();
    private final Map<Element, String> implementations = new HashMap<>();
    private final Set<Tree> called = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<String> uses = new ArrayList<>();

    private JavaUses(Path root, JavacTask task) {
        this.root = root;
        trees = Trees.instance(task);
        types = task.getTypes();
        elements = task.getElements();
    }

    private String place(Element element) {
        TreePath path = trees.getPath(element);
        if (path == null) {
            return "[\"\", 0]";
        }
        CompilationUnitTree unit = path.getCompilationUnit();
        long start = trees.getSourcePositions().getStartPosition(unit, path.getLeaf());
        try {
            // Modifiers stand before the name, which is what counts.
            String text = unit.getSourceFile().getCharContent(true).toString();
            String name = nameOf(element);
            int at = text.indexOf(name, afterModifiers(unit, path.getLeaf(), (int) start));
            return "[\"" + relative(unit) + "\", " + unit.getLineMap().getLineNumber(at) + "]";
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private int afterModifiers(CompilationUnitTree unit, Tree tree, int start) {
        ModifiersTree modifiers =
            tree instanceof ClassTree each ? each.getModifiers()
            : tree instanceof MethodTree each ? each.getModifiers()
            : tree instanceof VariableTree each ? each.getModifiers() : null;
        long end = modifiers == null ? -1 : trees.getSourcePositions().getEndPosition(unit, modifiers);
        return Math.max(start, (int) end);
    }

    private String relative(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().getName())).toString();
    }

    private static String nameOf(Element element) {
        boolean isConstructor = element.getKind() == ElementKind.CONSTRUCTOR;
        return (isConstructor ? element.getEnclosingElement() : element).getSimpleName().toString();
    }

    // Members of other classes that a call of a member can reach.
    private String implementationsOf(Element element) {
        if (!(element instanceof ExecutableElement method)
            || element.getKind() == ElementKind.CONSTRUCTOR
            || element.getModifiers().contains(Modifier.STATIC)) {
            return "";
        }
        return implementations.computeIfAbsent(element, key -> classes.stream()
            .filter(each -> types.isSubtype(types.erasure(each.asType()),
                types.erasure(method.getEnclosingElement().asType())))
            .flatMap(each -> ElementFilter.methodsIn(each.getEnclosedElements()).stream()
                .filter(own -> elements.overrides(own, method, each)))
            .map(this::place).collect(Collectors.joining(", ")));
    }

    private void add(Tree tree, CharSequence name, int searchFrom) {
        Element element = trees.getElement(getCurrentPath());
        if (element == null || element.getKind() == ElementKind.PACKAGE
            || element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) {
            return;
        }
        try {
            CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
            String text = unit.getSourceFile().getCharContent(true).toString();
            if (searchFrom < 0 || !text.startsWith(name.toString(), searchFrom)) {
                return;
            }
            int offset = text.substring(0, searchFrom).getBytes(StandardCharsets.UTF_8).length;
            uses.add(String.format(
                "{\"path\": \"%s\", \"offset\": %d, \"call\": %b, \"targets\": [%s], "
                    + "\"implementations\": [%s]}",
                relative(unit), offset, called.contains(tree), place(element),
                implementationsOf(element)));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private int end(Tree tree) {
        return (int) trees.getSourcePositions()
            .getEndPosition(getCurrentPath().getCompilationUnit(), tree);
    }

    @Override
    public Void visitIdentifier(IdentifierTree tree, Void nothing) {
        String name = tree.getName().toString();
        if (!name.equals("this") && !name.equals("super")) {
            add(tree, name, end(tree) - name.length());
        }
        return super.visitIdentifier(tree, nothing);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
        String name = tree.getIdentifier().toString();
        if (!Set.of("this", "super", "class", "*").contains(name)) {
            add(tree, name, end(tree) - name.length());
        }
        return super.visitMemberSelect(tree, nothing);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
        String name = tree.getName().toString();
        if (!name.equals("<init>")) {
            add(tree, name, end(tree) - name.length());
        }
        return super.visitMemberReference(tree, nothing);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
        called.add(tree.getMethodSelect());
        return super.visitMethodInvocation(tree, nothing);
    }

    // A call of a constructor is one of its type.
    @Override
    public Void visitNewClass(NewClassTree tree, Void nothing) {
        Tree type = tree.getIdentifier();
        called.add(type instanceof ParameterizedTypeTree each ? each.getType() : type);
        return super.visitNewClass(tree, nothing);
    }

    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toRealPath();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        List<Path> paths;
        try (Stream<Path> found = Files.walk(root)) {
            paths = found.filter(path -> path.toString().endsWith(".java"))
                .filter(path -> !path.getFileName().toString().matches("(module|package)-info.java"))
                .toList();
        }
        JavacTask task = (JavacTask) compiler.getTask(
            null, manager, problem -> {}, List.of("-proc:none", "-Xmaxerrs", "1"), null,
            manager.getJavaFileObjectsFromPaths(paths));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        JavaUses scanner = new JavaUses(root, task);
        TreePathScanner<Void, Void> listing = new TreePathScanner<>() {
            @Override
            public Void visitClass(ClassTree tree, Void nothing) {
                if (scanner.trees.getElement(getCurrentPath()) instanceof TypeElement type) {
                    scanner.classes.add(type);
                }
                return super.visitClass(tree, nothing);
            }
        };
        units.forEach(unit -> listing.scan(unit, null));
        units.forEach(unit -> scanner.scan(unit, null));
        Files.writeString(
            Path.of(arguments[1]), "[" + String.join(",\n", scanner.uses) + "]\n");
        System.out.println(scanner.uses.size() + " uses in " + units.size() + " files");
    }
}
