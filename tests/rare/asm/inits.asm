# Constructors that javac cannot write.

# branches before super(), several super() calls, a backward branch before super(), with frames
.class public super Inits version 52
.field n I
.method public static run (I)I stack 6 locals 2          # calls 8 exceptions 2
  new Inits
  dup
  iload_0
  invokespecial Inits.<init> (I)V
  getfield Inits.n I
  new Inits
  dup
  iload_0
  i2l
  invokespecial Inits.<init> (J)V
  getfield Inits.n I
  iadd
  ireturn
.method public <init> (I)V stack 4 locals 2              # calls 8 completed 8 exceptions 1
  iload_1
  ifne two
  aload_0
  invokespecial java/lang/Object.<init> ()V
  goto join
 two: .frame U I /
  iload_1
  iconst_3
  if_icmpne three
  aload_0
  invokespecial java/lang/Object.<init> ()V
  iconst_1
  iconst_0
  idiv
  istore_1
  goto join
 three: .frame U I /
  aload_0
  invokespecial java/lang/Object.<init> ()V
 join: .frame LInits; I /
  aload_0
  iload_1
  putfield Inits.n I
  return
# a loop, and an exit by a throw, before super(): it is not counted as an exceptional exit, since those count from the return of super() on
.method public <init> (J)V stack 4 locals 4              # calls 7 completed 6 exceptions 0
  iconst_0
  istore_3
 loop: .frame U J I /
  iinc 3 1
  iload_3
  iconst_5
  if_icmplt loop
  lload_1
  l2i
  bipush 6
  if_icmpne fine
  aconst_null
  athrow
 fine: .frame U J I /
  aload_0
  dup
  astore 2
  iload_3
  ifgt more
  nop
 more: .frame U T U I / U
  invokespecial java/lang/Object.<init> ()V
  return

# the same without frames, for the old verifier, with `this` in other locals and on the stack at jumps
.class public super InitsOld version 48
.field n I
.method public static run (I)I stack 4 locals 2          # calls 8 exceptions 1
  new InitsOld
  dup
  iload_0
  invokespecial InitsOld.<init> (I)V
  getfield InitsOld.n I
  ireturn
.method public <init> (I)V stack 4 locals 5              # calls 8 exceptions 1
  aload_0
  astore_2
  aload_2
  iload_1
  tableswitch 0 three one two
 one: astore_3
  aload_3
  invokespecial java/lang/Object.<init> ()V
  goto join
 two: iinc 1 10
  invokespecial java/lang/Object.<init> ()V
  goto join
 three: astore 4
  aload_2
  dup
  pop
  invokespecial java/lang/Object.<init> ()V
 join: aload_0
  bipush 70
  iload_1
  iconst_5
  isub
  idiv
  putfield InitsOld.n I
  return

# a constructor that always throws, before super()
.class public super InitsThrow version 52
.method public static run (I)I stack 4 locals 2          # calls 8 exceptions 8
  new InitsThrow
  dup
  invokespecial InitsThrow.<init> ()V
  pop
  iload_0
  ireturn
.method public <init> ()V stack 2 locals 1               # calls 8 completed 0 exceptions 0
  new java/lang/IllegalStateException
  dup
  invokespecial java/lang/IllegalStateException.<init> ()V
  athrow
