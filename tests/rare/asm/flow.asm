# Control flow that no current compiler produces.

# a range that begins at the first instruction, a handler in its own range, and a handler that jumps back
.class public super Handlers version 49
.field static count I
.method public static run (I)I stack 6 locals 4          # calls 8 exceptions 1
  iload_0
  invokestatic Handlers.first (I)I
  iload_0
  invokestatic Handlers.itself (I)I
  iadd
  iload_0
  invokestatic Handlers.again (I)I
  iadd
  iload_0
  invokestatic Handlers.last (I)I
  iadd
  ireturn
.method static first (I)I stack 3 locals 2               # calls 8
 from: bipush 100
  iload_0
  idiv
  ireturn
 to: invokevirtual java/lang/Throwable.getMessage ()Ljava/lang/String;
  invokevirtual java/lang/String.length ()I
  ireturn
  .catch java/lang/ArithmeticException from to to
# the handler throws twice before it gives up; it is in its own range
.method static itself (I)I stack 3 locals 3              # calls 8
  iconst_0
  istore_1
 from: bipush 100
  iload_0
  iconst_4
  isub
  idiv
  ireturn
 handler: pop
  iinc 1 1
  iload_1
  iconst_3
  if_icmplt from2
  goto out
 from2: iconst_1
  iconst_0
  idiv
  pop
 out: iload_1
  ireturn
 to: nop
  iload_1
  ireturn
  .catch * from to handler
# a handler that goes back to the start
.method static again (I)I stack 3 locals 3               # calls 8
 start: bipush 60
  iload_0
 from: idiv
 to: ireturn
 handler: pop
  iconst_3
  istore_0
  goto start
  .catch * from to handler
# athrow at the end; the method can only end by an exception
.method static last (I)I stack 3 locals 3                # calls 8 completed 8 exceptions 1
  iload_0
  bipush 6
  if_icmpeq bad
  iload_0
  ireturn
 bad: new java/lang/IllegalStateException
  dup
  ldc "six"
  invokespecial java/lang/IllegalStateException.<init> (Ljava/lang/String;)V
  athrow

# dead code without frames: the old verifier never checks it
.class public super Dead version 49
.method public static run (I)I stack 2 locals 2          # calls 8
  iload_0
  ireturn
  iadd
  pop
  pop
  nop
  goto dead
  areturn
 dead: lreturn

# dead code with a frame each, and a frame at offset 0
.class public super Frames version 52
.method public static run (I)I stack 2 locals 2          # calls 8 exceptions 0
  iload_0
  invokestatic Frames.zero (I)V
  iload_0
  invokestatic Frames.dead (I)I
  ireturn
.method static zero (I)V stack 2 locals 2                # calls 8
 start: .frame I /
  iinc 0 1
  iload_0
  bipush 10
  if_icmplt start
  return
.method static dead (I)I stack 4 locals 3                # calls 8
  iload_0
  iconst_3
  if_icmpge big
  iconst_0
  ireturn
  .frame I J / J J
  ladd
  lstore_1
  goto dead2
  .frame /
 dead2: goto dead2
 big: .frame I /
  iload_0
  ireturn
  .frame / Ljava/lang/Throwable;
  athrow

# version 50 falls back to the old verifier if its frames are wrong or missing (JVMS 4.10)
.class public super Fallback version 50
.method public static run (I)I stack 2 locals 2          # calls 8
 start: iload_0
  iconst_5
  if_icmpge end
  iinc 0 2
  goto start
 end: new java/lang/Object
  pop
  iload_0
  ireturn

# empty methods, and one that only loops
.class public super Little version 52
.method public <init> ()V stack 1 locals 1               # calls 8
  aload_0
  invokespecial java/lang/Object.<init> ()V
  return
.method public static run (I)I stack 5 locals 2          # calls 8
  invokestatic Little.nothing ()V
  dconst_1
  invokestatic Little.same (D)D
  d2i
  lconst_1
  invokestatic Little.far (J)J
  l2i
  iadd
  iload_0
  ifne begun
  new LittleLoop
  dup
  invokespecial LittleLoop.<init> ()V
  dup
  iconst_1
  invokevirtual java/lang/Thread.setDaemon (Z)V
  invokevirtual java/lang/Thread.start ()V
 begun: .frame I / I
  invokestatic java/lang/Thread.yield ()V
  getstatic LittleLoop.begun I
  ifeq begun
  new Little
  dup
  invokespecial Little.<init> ()V
  pop
  ireturn
.method static nothing ()V stack 0 locals 0              # calls 8
  return
.method static same (D)D stack 2 locals 2                # calls 8
  dload_0
  dreturn
# a long in the last two locals
.method static far (J)J stack 4 locals 402               # calls 8
  lload_0
  wide lstore 400
  wide lload 400
  lload_0
  lcmp
  ifne no
  wide lload 400
  lreturn
 no: .frame J /
  lconst_0
  lreturn

.class public super LittleLoop extends java/lang/Thread version 52
.field static volatile begun I
.method public <init> ()V stack 1 locals 1               # calls 1
  aload_0
  invokespecial java/lang/Thread.<init> ()V
  return
.method public run ()V stack 2 locals 1                  # calls 1 completed 0
  getstatic LittleLoop.begun I
  iconst_1
  iadd
  putstatic LittleLoop.begun I
  invokestatic LittleLoop.loop ()V
  return
.method static loop ()V stack 0 locals 0                 # calls 1 completed 0
 forever: .frame /
  goto forever

# tables that the JVM does not check, duplicate tables, unknown attributes
.class public super Tables version 52
.attribute Mystery 00 01 02 03
.attribute Mystery
.field static x I
.method public static run (I)I stack 4 locals 4          # calls 8 exceptions 1
  .line 10
 start: iload_0
  istore_1
 a: bipush 42
  .line 11
  iload_0
  iconst_3
  isub
  idiv
  istore_2
 b: iload_1
  iload_2
  iadd
  ireturn
 end: .code LineNumberTable 0001 @b 000c
  .code LocalVariableTable 0002 @a @end-a utf8:one utf8:I 0001 @start @end-start utf8:zero utf8:I 0000
  .code LocalVariableTable 0001 @b @end-b utf8:two utf8:I 0002
  .code LocalVariableTypeTable 0001 @b @end-b utf8:two utf8:TT; 0002
  .code RuntimeVisibleTypeAnnotations 0002 40 0001 @a @end-a 0001 00 utf8:LAnn; 0000 44 @a 00 utf8:LAnn; 0001 utf8:v 5b 0001 40 utf8:LB; 0000
  .code RuntimeInvisibleTypeAnnotations 0001 40 ffff
  .code CharacterRangeTable 0001 @start @a 00000001 00000002 0001
  .code Unheard.Of 12345678
  .code Unheard.Of
  .attribute Synthetic
  .attribute Deprecated
  .attribute Deprecated
  .attribute Another 99 98

# a dynamic constant and an invokedynamic with odd arguments; an interface with code in it
.class public super Dynamic version 61
.bootstrap Dynamic.constant (Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;I)Ljava/lang/Object; 41
.bootstrap Dynamic.site (Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodHandle;Ljava/lang/Object;)Ljava/lang/invoke/CallSite; handle:6:Dynamic.twice(I)I condy:0:x:Ljava/lang/Object;
.method public static run (I)I stack 4 locals 2          # calls 8 exceptions 1
  iload_0
  invokedynamic 1 twice (I)I
  ldc condy:0:x:Ljava/lang/Object;
  checkcast java/lang/Integer
  invokevirtual java/lang/Integer.intValue ()I
  iadd
  iload_0
  invokestatic interface DynamicFace.of (I)I
  iadd
  ireturn
.method static twice (I)I stack 2 locals 1               # calls 8
  iload_0
  iconst_2
  imul
  ireturn
.method static constant (Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;I)Ljava/lang/Object; stack 2 locals 4  # calls 1
  iload_3
  invokestatic java/lang/Integer.valueOf (I)Ljava/lang/Integer;
  areturn
.method static site (Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/invoke/MethodType;Ljava/lang/invoke/MethodHandle;Ljava/lang/Object;)Ljava/lang/invoke/CallSite; stack 4 locals 5  # calls 1
  new java/lang/invoke/ConstantCallSite
  dup
  aload_3
  invokespecial java/lang/invoke/ConstantCallSite.<init> (Ljava/lang/invoke/MethodHandle;)V
  areturn

.class public interface abstract DynamicFace version 55
.method public static of (I)I stack 3 locals 1           # calls 8 exceptions 1
  iload_0
  iconst_5
  if_icmpne fine
  aconst_null
  athrow
 fine: .frame I /
  iload_0
  invokestatic interface DynamicFace.hidden (I)I
  ireturn
.method private static hidden (I)I stack 3 locals 1      # calls 7
  iload_0
  ineg
  ireturn
.method public static <clinit> ()V stack 1 locals 0      # calls 1
  return
