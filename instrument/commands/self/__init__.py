"""`classhook self`: commands about the installation of classhook itself."""

EPILOG = """\
examples:
  classhook self doctor                         after the installation
  classhook self cache --clear
  java -agentpath:$(classhook self agent)=rules=rules.txt -jar app.jar
  eval "$(classhook self completion bash)"      in ~/.bashrc

`classhook self COMMAND --help` describes a command.
"""
