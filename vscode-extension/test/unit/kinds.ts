/** The server's kinds of nodes (`packhound.types.KINDS`); a Python test compares the lists. */
export const KINDS = [
  'function',
  'method',
  'class',
  'struct',
  'enum',
  'interface',
  'trait',
  'impl',
  'module',
  'type',
  'constant',
  'macro',
  'test',
  'section',
  'file',
  'window',
];
