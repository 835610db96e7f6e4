/** What is wrong with what is being typed: `missing ): 'raise ('`, without the rule that follows. */
export function briefProblem(text: string): string {
  return /^'\w+' is '.*?'; (.*?); must be /s.exec(text)?.[1] ?? text;
}
