import * as vscode from 'vscode';

/*
 * Boxes as those of `vscode.window`, but what is accepted does not hide them: the next box takes
 * their place, so that no key in between goes to an editor. Where no box follows they hide.
 */

interface ListOptions {
  title: string;
  placeholder?: string;
  ignoreFocusOut?: boolean;
}

interface TextOptions extends ListOptions {
  prompt?: string;
  value?: string;
  /** Says why a text cannot be accepted. */
  problem?: (text: string) => string | undefined;
}

/** The item that the user chooses of a list. */
export async function choose<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  options: ListOptions,
): Promise<Item | undefined> {
  const pick = Object.assign(vscode.window.createQuickPick<Item>(), options, { items });
  return answered(pick, () => ({ value: pick.activeItems[0] }));
}

/**
 * The items that the user ticks; those of `ticked` are at first. The title may tell of them, and
 * `corrected` may tick others with them.
 */
export async function chooseMany<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  ticked: readonly Item[],
  options: ListOptions & {
    titleOf?: (ticked: readonly Item[]) => string;
    corrected?: (before: readonly Item[], ticked: readonly Item[]) => readonly Item[];
  },
): Promise<readonly Item[] | undefined> {
  const { titleOf, corrected, ...others } = options;
  let before = ticked;
  const pick = Object.assign(vscode.window.createQuickPick<Item>(), others, { items });
  pick.canSelectMany = true;
  pick.selectedItems = ticked;
  pick.onDidChangeSelection((chosen) => {
    const selected = corrected?.(before, chosen) ?? chosen;
    before = selected;
    if (selected.length !== chosen.length) {
      pick.selectedItems = selected;
    }
    pick.title = titleOf?.(selected) ?? pick.title;
  });
  return answered(pick, () => ({ value: before }));
}

/** The text that the user types. */
export async function askText({ problem, ...options }: TextOptions): Promise<string | undefined> {
  const input = Object.assign(vscode.window.createInputBox(), options);
  input.onDidChangeValue(() => {
    input.validationMessage = undefined;
  });
  return answered(input, () => {
    input.validationMessage = problem?.(input.value);
    return input.validationMessage ? undefined : { value: input.value };
  });
}

type AnyBox = Pick<
  vscode.QuickPick<vscode.QuickPickItem>,
  'show' | 'dispose' | 'onDidAccept' | 'onDidHide'
>;

/** What `accepted` gives once it gives something; undefined where the box is left. */
function answered<T>(
  box: AnyBox,
  accepted: () => { value: T } | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    box.onDidAccept(() => {
      const answer = accepted();
      if (answer) {
        resolve(answer.value);
        setImmediate(() => {
          box.dispose();
        });
      }
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
