import { useNavigate } from "@tanstack/react-router";
import { Input, Modal } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePreferences } from "../lib/preferences.tsx";
import { useVisiblePages } from "./use-visible-pages.ts";
import { useSignOut } from "./use-sign-out.tsx";

interface Props {
  readonly isOpen: boolean;
  readonly onChange: (isOpen: boolean) => void;
}

interface Command {
  readonly key: string;
  readonly label: string;
  readonly run: () => void;
}

/** Ctrl+K: go to a page or do something, by typing a part of its name. */
export function CommandPalette({ isOpen, onChange }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const commands = useCommands().filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()));
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      onChange(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [onChange]);
  const run = (command: Command | undefined): void => {
    onChange(false);
    setTyped("");
    setChosen(0);
    command?.run();
  };
  const move = (step: number): void => setChosen((at) => Math.max(0, Math.min(commands.length - 1, at + step)));
  return (
    <Modal open={isOpen} footer={null} closable={false} onCancel={() => onChange(false)} title={t("app.commands")}>
      <Input
        autoFocus
        role="combobox"
        aria-expanded
        aria-controls="commands"
        aria-label={t("app.findCommand")}
        placeholder={t("app.findCommand")}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setChosen(0);
        }}
        onKeyDown={({ key }) => {
          if (key === "ArrowDown") move(1);
          if (key === "ArrowUp") move(-1);
          if (key === "Enter") run(commands[chosen]);
        }}
      />
      <ul id="commands" role="listbox" aria-label={t("app.commands")} className="commands">
        {commands.map((command, index) => (
          <li key={command.key} role="option" aria-selected={index === chosen} onClick={() => run(command)}>
            {command.label}
          </li>
        ))}
      </ul>
    </Modal>
  );
}
function useCommands(): readonly Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { theme, language, setTheme, setLanguage } = usePreferences();
  const signOut = useSignOut();
  const otherTheme = theme === "dark" ? "light" : "dark";
  return [
    ...useVisiblePages().map(({ path, name }) => ({
      key: path,
      label: t(`nav.${name}`),
      run: () => void navigate({ to: path }),
    })),
    { key: "theme", label: `${t("app.theme")}: ${t(`app.${otherTheme}`)}`, run: () => setTheme(otherTheme) },
    {
      key: "language",
      label: `${t("app.language")}: ${language === "en" ? "中文" : "English"}`,
      run: () => setLanguage(language === "en" ? "zh" : "en"),
    },
    { key: "out", label: t("app.signOut"), run: signOut },
  ];
}
