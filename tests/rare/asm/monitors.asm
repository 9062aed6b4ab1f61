# Monitors as Kotlin and others write them: a return within the monitor's catch-any range, and stranger ones.

# Kotlin's code for synchronized(lock) { return ... }: the range includes monitorexit and return
.class public super Monitors version 52
.method public static run (I)I stack 4 locals 6          # calls 8 exceptions 1
  iload_0
  invokestatic Monitors.kotlin (I)I
  iload_0
  invokestatic Monitors.two (I)I
  iadd
  iload_0
  invokestatic Monitors.typed (I)I
  iadd
  iload_0
  invokestatic Monitors.both (I)I
  iadd
  iload_0
  invokestatic Monitors.early (I)I
  iadd
  ireturn
.method static kotlin (I)I stack 4 locals 4              # calls 8
  ldc "kotlin"
  astore_1
  aload_1
  monitorenter
 from: iload_0
  iconst_3
  if_icmpne other
  bipush 33
  istore_2
  aload_1
  monitorexit
  iload_2
  ireturn
 other: .frame I Ljava/lang/String; /
  iinc 0 1
  aload_1
  monitorexit
  iload_0
  ireturn
 to: .frame I Ljava/lang/String; / Ljava/lang/Throwable;
  astore_3
  aload_1
  monitorexit
  aload_3
  athrow
  .catch * from to to

# two locks, one in the other, and the inner one's handler in the outer's range
.method static two (I)I stack 4 locals 6                 # calls 8
  ldc "a"
  dup
  astore_1
  monitorenter
 outer: ldc "b"
  dup
  astore_2
  monitorenter
 inner: iload_0
  iconst_5
  if_icmpge big
  aload_2
  monitorexit
  aload_1
  monitorexit
  iload_0
  ireturn
 big: .frame I Ljava/lang/String; Ljava/lang/String; /
  bipush 50
  iload_0
  idiv
  aload_2
  monitorexit
 inner_end: aload_1
  monitorexit
  ireturn
 handler: .frame I Ljava/lang/String; Ljava/lang/String; / Ljava/lang/Throwable;
  aload_2
  monitorexit
  athrow
 outer_end: .frame I Ljava/lang/String; / Ljava/lang/Throwable;
  aload_1
  monitorexit
  athrow
  .catch * inner inner_end handler
  .catch * outer outer_end outer_end

# held where only a typed handler would release it: if another exception leaves the bare method, the JVM throws
.method static typed (I)I stack 4 locals 4               # calls 8
  ldc "typed"
  dup
  astore_1
  monitorenter
 from: bipush 12
  iload_0
  idiv
 to: aload_1
  monitorexit
  ireturn
 handler: .frame I Ljava/lang/String; / Ljava/lang/ArithmeticException;
  pop
  aload_1
  monitorexit
  iconst_m1
  ireturn
  .catch java/lang/ArithmeticException from to handler

# a synchronized method with a block in it that throws out of both
.method static synchronized both (I)I stack 4 locals 4   # calls 8 exceptions 1
  ldc class:Monitors
  dup
  astore_1
  monitorenter
 from: bipush 12
  iload_0
  iconst_2
  isub
  idiv
  aload_1
  monitorexit
  ireturn
 to: .frame I Ljava/lang/Class; / Ljava/lang/Throwable;
  aload_1
  monitorexit
  athrow
  .catch * from to to

# a lock in a loop; the range ends before monitorexit and begins one late
.method static early (I)I stack 4 locals 4               # calls 7
 again: .frame I /
  ldc "early"
  dup
  astore_1
  monitorenter
  iinc 0 1
 from: getstatic java/lang/System.out Ljava/io/PrintStream;
  pop
 to: aload_1
  monitorexit
  iload_0
  bipush 9
  if_icmplt again
  iload_0
  ireturn
 handler: .frame I Ljava/lang/String; / Ljava/lang/Throwable;
  aload_1
  monitorexit
  athrow
  .catch * from to handler
