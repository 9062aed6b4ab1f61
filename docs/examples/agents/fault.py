"""Fault injection: a method returns a constant and does nothing else. The environment says which: CLASS::METHOD and the
constant.

FAULT=com.acme.Stock::isAvailable CONSTANT=0 classhook run --agent fault.py -- java -jar app.jar
"""

import os

from classhook.agent import Agent, ClassToLoad

agent = Agent()
CLASS, METHOD = os.environ["FAULT"].split("::")
CONSTANT = int(os.environ.get("CONSTANT", "0"))
# by what is returned: nothing; null; bipush and ireturn; the same, widened (JVMS 6.5)
RETURNS = {
    "V": b"\xb1",
    "L": b"\x01\xb0",
    "[": b"\x01\xb0",
    "J": b"\x10%c\x85\xad",
    "F": b"\x10%c\x86\xae",
    "D": b"\x10%c\x87\xaf",
}


@agent.transform(CLASS)
def fault(cls: ClassToLoad) -> bytes:
    data = cls.data
    for method in reversed(cls.reader().methods):
        if method.name != METHOD or not method.code_at:
            continue
        code = RETURNS.get(method.descriptor.partition(")")[2][0], b"\x10%c\xac")
        code = code.replace(b"%c", CONSTANT.to_bytes(1, "big", signed=True))
        # the Code attribute (JVMS 4.7.3): name, length, stack, locals, code; no handlers, no attributes
        locals_ = data[method.code_at + 8 : method.code_at + 10]
        body = b"\0\2" + locals_ + len(code).to_bytes(4, "big") + code + b"\0\0\0\0"
        attribute = data[method.code_at : method.code_at + 2] + len(body).to_bytes(4, "big") + body
        data = data[: method.code_at] + attribute + data[method.code_end :]
    return data
