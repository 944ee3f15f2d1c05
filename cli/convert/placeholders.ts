/** Values that the author of a manifest left for its reader to fill in. */
import { isScalar, isSeq } from 'yaml';
import type { Changes } from './changes.ts';
import { asMap, keyOf, textAt, textOf } from './nodes.ts';

const patterns = [
  /^<[^<>\n]*>$/,
  /^(vpc|subnet|ami|sg|igw|nat|rtb|eipalloc)-(\.\.\.|…|<.*>|[0-9a-f]*x{3,}[0-9a-fx]*)$/i,
  /^(x{3,}|todo|tbd|fixme|placeholder|change[-_ ]?(me|this)|(replace|insert|fill|set)[-_ ]?(me|this|here|in)|(replace|insert)[-_].*)$/i,
  /^your[-_ ][-_ a-z0-9]+$/i,
  /^(__|@@?|%|#)[A-Z][A-Z0-9_]*\1$/,
];
/** Within a text, such as an ARN or a label: neither a shell's redirection nor a tag. */
const inner = /<(?!<)[A-Za-z][\w .-]*>|\[(?:your|insert|replace)[-_ ][^\]]*\]/;
/** Of a chart or a generator: Jinja of cloud-init has no such names. */
const ofGenerators = /\{\{-?\s*(?:[.$]|(?:include|toYaml|tpl|required|cookiecutter|env)\b)/;
/** Of any kind, where no program renders braces. */
const braces = /\{\{[^{}]*\}\}/;

export const isPlaceholder = (text: string): boolean => patterns.some((pattern) => pattern.test(text));

/** Fields whose braces are for the controllers, by the end of their path. */
const rendered = /(?:imageLookupFormat|[nN]aming(?:Strategy)?\.template|\.template)$/;
/** What a host runs and reads, where braces are Jinja and angles redirect. */
const ofHosts =
  /(?:\.|^)(?:files\[\d+\]\.content|(?:boot|preKubeadm|postKubeadm)Commands\[\d+\]|kubeadmConfigSpec\b|(?:init|join|cluster)Configuration\b)/;

const isLeft = (text: string, path: string): boolean => {
  if (isPlaceholder(text)) return true;
  if (rendered.test(path)) return false;
  if (ofHosts.test(path)) return ofGenerators.test(text);
  return braces.test(text) || (!text.includes('\n') && inner.test(text));
};

/** Reports each placeholder by its path. Nothing is guessed for it, and none is asked for what is replaced later. */
export const askForValues = (
  node: unknown,
  changes: Changes,
  path: string,
  isReplaced: (path: string) => boolean,
): void => {
  if (isSeq(node))
    for (const [i, item] of node.items.entries()) askForValues(item, changes, `${path}[${i}]`, isReplaced);
  // Capstan renders the content of these files itself.
  const isTemplate = textAt(node, 'contentFormat') !== undefined;
  for (const field of asMap(node)?.items ?? [])
    if (!isTemplate || keyOf(field) !== 'content')
      askForValues(field.value, changes, `${path}.${keyOf(field)}`, isReplaced);
  const text = isScalar(node) ? textOf(node)! : '';
  if (isLeft(text, path) && !isReplaced(path)) changes.add('error', path, 'needs a value', { from: text });
};
