/** File contents and user passwords that come from Secrets. */
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import type { WriteFile } from './cloud-config.ts';
import type { File, KubeadmConfigSpec } from './schema.ts';
import { renderTemplate, type TemplateValues } from './template.ts';

export type Sources = Map<string, Read<Secret>>;
type Users = NonNullable<KubeadmConfigSpec['users']>;

/** A key of a Secret that a field of the spec names. */
export interface Source {
  field: string;
  name: string;
  key: string;
}

export const sourcesIn = ({ files = [], users = [] }: KubeadmConfigSpec): Source[] => [
  ...files.flatMap(({ contentFrom }, i) =>
    contentFrom ? [{ field: `files[${i}].contentFrom.secret`, ...contentFrom.secret }] : [],
  ),
  ...users.flatMap(({ passwdFrom }, i) =>
    passwdFrom ? [{ field: `users[${i}].passwdFrom.secret`, ...passwdFrom.secret }] : [],
  ),
];

export const observeSources = (read: Reader, namespace: string, spec: KubeadmConfigSpec): Sources =>
  new Map(
    [...new Set(sourcesIn(spec).map(({ name }) => name))].map((name) => [
      name,
      read.get<Secret>('Secret', { namespace, name }),
    ]),
  );

export type Resolved<T> = { value: T } | { fault: string };

const lookUp = (sources: Sources, { name, key }: { name: string; key: string }): Resolved<string> => {
  const read = sources.get(name);
  if (read?.state !== 'found')
    return { fault: `Secret ${name} ${read?.state === 'unreadable' ? 'could not be read' : 'does not exist'}` };
  const value = secretValue(read.value, key);
  return value === undefined ? { fault: `Secret ${name} has no key ${key}` } : { value };
};

const fileOf = (file: File, sources: Sources, values: TemplateValues): Resolved<WriteFile> => {
  const { contentFrom, contentFormat, content = '', ...rest } = file;
  const source: Resolved<string> = contentFrom ? lookUp(sources, contentFrom.secret) : { value: content };
  if ('fault' in source) return { fault: `file ${file.path}: ${source.fault}` };
  if (contentFormat !== 'Template') return { value: { ...rest, content: source.value } };
  const rendered = renderTemplate(source.value, values);
  return 'fault' in rendered
    ? { fault: `file ${file.path}: ${rendered.fault}` }
    : { value: { ...rest, content: rendered.content } };
};

const all = <T>(results: Resolved<T>[]): Resolved<T[]> => {
  const values: T[] = [];
  for (const result of results) {
    if ('fault' in result) return result;
    values.push(result.value);
  }
  return { value: values };
};

export const resolveFiles = ({ files = [] }: KubeadmConfigSpec, sources: Sources, values: TemplateValues) =>
  all(files.map((file) => fileOf(file, sources, values)));

export const resolveUsers = ({ users = [] }: KubeadmConfigSpec, sources: Sources): Resolved<Users> =>
  all(
    users.map(({ passwdFrom, ...user }): Resolved<Users[number]> => {
      if (!passwdFrom) return { value: user };
      const source = lookUp(sources, passwdFrom.secret);
      return 'fault' in source
        ? { fault: `user ${user.name}: ${source.fault}` }
        : { value: { ...user, passwd: source.value } };
    }),
  );
