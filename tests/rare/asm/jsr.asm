# jsr and ret (JVMS 4.10.2.5): what javac wrote for finally up to 1.4. No class from version 51 on may have them.
.class public super Jsr version 46
.field static count I
.method public static run (I)I stack 4 locals 6          # calls 8 exceptions 1
  .line 1
  iload_0
  invokestatic Jsr.nested (I)I
  iload_0
  invokestatic Jsr.twice (I)I
  iadd
  iload_0
  invokestatic Jsr.locked (I)I
  iadd
  new Jsr
  dup
  iload_0
  invokespecial Jsr.<init> (I)V
  pop
  ireturn

# a finally in a finally; 7 throws
.method static nested (I)I stack 4 locals 8              # calls 8 exceptions 1
 from: iload_0
  bipush 7
  isub
  ifne fine
  bipush 100
  iconst_0
  idiv
  istore_1
 fine: iconst_1
  istore_1
 inner: jsr outer
  iload_1
  iload_0
  iadd
  ireturn
 to: astore_2
  jsr outer
  aload_2
  athrow
 outer: astore_3
  jsr deep
  ret 3
 deep: astore 4
  getstatic Jsr.count I
  iconst_1
  iadd
  putstatic Jsr.count I
  ret 4
  .catch * from inner to

# one subroutine, called from three places, with different things in the locals
.method static twice (I)I stack 4 locals 4               # calls 7
  lconst_1
  lstore_1
  jsr sub
  fconst_1
  fstore_1
  jsr_w sub
  iload_0
  istore_1
  iload_0
  iconst_3
  if_icmplt sub2
  jsr sub
 sub2: iload_0
  ireturn
 sub: astore_3
  iinc 0 1
  ret 3

# a monitor held over a jsr, and released by a subroutine, as javac 1.1 did
.method static locked (I)I stack 4 locals 6              # calls 7
  ldc "lock"
  astore_1
  aload_1
  monitorenter
 from: jsr work
  iload_0
  iconst_2
  if_icmpne go
  jsr unlock
  iconst_5
  ireturn
 go: jsr unlock
 to: goto end
 handler: astore_2
  jsr unlock
  aload_2
  athrow
 unlock: astore_3
  aload_1
  monitorexit
  ret 3
 work: astore 4
  iinc 0 3
  ret 4
 end: iload_0
  ireturn
  .catch * from to handler

# a constructor with a subroutine before super()
.method public <init> (I)V stack 4 locals 4              # calls 7
  jsr before
  jsr before
  aload_0
  invokespecial java/lang/Object.<init> ()V
  return
 before: astore_2
  iinc 1 1
  wide ret 2

.class public super JsrFar version 48
.method public static run (I)I stack 4 locals 4          # calls 8
  iconst_0
  istore_1
 loop: jsr far
  iinc 1 1
  iload_1
  iconst_3
  if_icmplt loop
  iload_0
  ireturn
  .fill 32700
 far: astore_2
  iinc 0 2
  jsr_w farther
  ret 2
  .fill 60000
 farther: astore_3
  iinc 0 10
  ret 3
