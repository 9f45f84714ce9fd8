import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Uploads } from "./use-uploads.ts";

interface Props {
  readonly uploads: Uploads;
  readonly isNew: boolean;
  readonly isMade: boolean;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onOpen: () => void;
  readonly onStart: () => void;
}

/** Starts, stops, resumes an upload, and leads to the dataset when all has arrived. */
export function UploadFooter({ uploads, isNew, isMade, isPending, onClose, onOpen, onStart }: Props) {
  const { t } = useTranslation();
  const { files, isRunning, isDone } = uploads;
  const hasBegun = isRunning || files.some(({ state }) => state !== "waiting");
  const isEmpty = files.length === 0;
  if (isDone || (isNew && isMade && isEmpty)) {
    return (
      <Button type="primary" onClick={onOpen}>
        {t("datasets.open")}
      </Button>
    );
  }
  return (
    <>
      <Button onClick={isRunning ? uploads.stop : onClose}>
        {t(isRunning ? "datasets.stop" : hasBegun ? "common.close" : "common.cancel")}
      </Button>
      <Button type="primary" loading={isPending} disabled={isPending || (!isNew && isEmpty)} onClick={onStart}>
        {t(`datasets.${hasBegun ? "resume" : startText(isNew, isEmpty)}`)}
      </Button>
    </>
  );
}

const startText = (isNew: boolean, isEmpty: boolean): string => {
  if (!isNew) return "startMore";
  return isEmpty ? "startEmpty" : "start";
};
