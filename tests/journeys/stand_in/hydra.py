"""In place of hydra-core, where that is not installed: its command line and its help for one flat file of configuration."""
import os
import sys
from types import SimpleNamespace


def read_config(path):
    """Two levels of YAML, as conf/config.yaml has them."""
    config, part = {}, None
    with open(path) as file:
        for line in file:
            name, value = line.strip().split(":", 1)
            if not line.startswith(" "):
                config[name] = part = {}
            else:
                part[name] = read_value(value.strip())
    return config


def read_value(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def show_help(name, text):
    print(f"{name} is powered by Hydra.\n\n== Configuration groups ==")
    print("Compose your configuration from those groups (group=option)\n\n\n\n== Config ==")
    print(f"Override anything in the config (foo.bar=value)\n\n{text}\n")
    print("Powered by Hydra (https://hydra.cc)\nUse --hydra-help to view Hydra specific help\n")


def override(config, word):
    name, equals, value = word.partition("=")
    if name == "hydra.run.dir":
        os.makedirs(value, exist_ok=True)
        open(os.path.join(value, "hydra_app.log"), "w").close()
        return
    part, dot, key = name.partition(".")
    if word.startswith("-") or not equals:
        sys.exit(f"hydra_app.py: error: unrecognized arguments: {word}")
    if key not in config.get(part, {}):
        sys.exit(f"Could not override '{name}'.\nTo append to your config use +{word}")
    config[part][key] = read_value(value)


def main(version_base=None, config_path=None, config_name=None):
    def decorate(function):
        def run():
            path = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), config_path, config_name + ".yaml")
            if "--help" in sys.argv:
                show_help(os.path.basename(sys.argv[0])[:-3], open(path).read())
                return
            config = read_config(path)
            for word in sys.argv[1:]:
                override(config, word)
            if not any(word.startswith("hydra.run.dir=") for word in sys.argv):
                os.makedirs("outputs", exist_ok=True)
            function(SimpleNamespace(**{name: SimpleNamespace(**part) for name, part in config.items()}))

        return run

    return decorate
