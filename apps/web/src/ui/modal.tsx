import { Dialog, DialogDismiss, DialogHeading } from "@ariakit/react";
import type { ReactNode } from "react";
import { m } from "../messages/index.ts";

/** A dialog that holds the focus and gives it back; Escape closes it. */
export function Modal(props: {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      unmountOnHide
      backdrop={<div className="backdrop" />}
      className="dialog"
    >
      <header className="panel-head">
        <DialogHeading className="dialog-title">{props.title}</DialogHeading>
        <DialogDismiss className="plain" aria-label={m.app.close}>
          ✕
        </DialogDismiss>
      </header>
      {props.children}
    </Dialog>
  );
}
