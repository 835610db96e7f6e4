import type { ConfigurationMiddleware } from 'vscode-languageclient';

/** Settings of section `packhound` that this extension reads and the server does not know. */
export const EXTENSION_ONLY = ['server', 'trace'] as const;

/** What of the section is for the server. */
export function forServer(section: unknown): unknown {
  if (typeof section !== 'object' || section === null) {
    return section;
  }
  const names: readonly string[] = EXTENSION_ONLY;
  return Object.fromEntries(Object.entries(section).filter(([key]) => !names.includes(key)));
}

/** Answers the server's question for settings without those that are not its names. */
export const configurationMiddleware: NonNullable<
  ConfigurationMiddleware['configuration']
> = async (params, token, next) => {
  const answers: unknown = await next(params, token);
  return Array.isArray(answers)
    ? answers.map((answer, at) =>
        params.items[at]?.section === 'packhound' ? forServer(answer) : (answer as unknown),
      )
    : (answers as never);
};
