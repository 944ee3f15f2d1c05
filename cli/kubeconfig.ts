/** Edits entries of a shared kubeconfig and preserves all other content, comments included. */
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Document, isMap, isSeq, parseDocument } from 'yaml';
import { CliError } from './errors.ts';

export interface Entry {
  /** Name of the cluster, the user and the context. */
  name: string;
  server: string;
  /** PEM; absent to trust public authorities. */
  certificateAuthority?: string | undefined;
  exec: {
    command: string;
    args: string[];
    installHint: string;
  };
}

const clusterOf = ({ server, certificateAuthority }: Entry) => ({
  server,
  ...(certificateAuthority !== undefined && {
    'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64'),
  }),
});

const userOf = ({ exec: { command, args, installHint } }: Entry) => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args,
    installHint,
    interactiveMode: 'Never',
    provideClusterInfo: false,
  },
});

/** Replaces the list's entry of this name, or appends one. */
const upsert = (document: Document, list: string, name: string, field: string, value: object): void => {
  const found = document.get(list);
  if (found === undefined || found === null || (isSeq(found) && found.items.length === 0)) {
    document.set(list, document.createNode([{ name, [field]: value }]));
    return;
  }
  if (!isSeq(found)) throw new CliError(`${list} is no list`);
  const entry = found.items.find((item) => isMap(item) && item.get('name') === name);
  if (isMap(entry)) entry.set(field, document.createNode(value));
  else found.add(document.createNode({ name, [field]: value }));
};

/** The kubeconfig's text with this entry and its context current. Throws CliError if it cannot be merged. */
export const merged = (text: string, entry: Entry): string => {
  const document: Document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new CliError(`it is no YAML: ${error.message.split('\n')[0]}`);
  if (document.contents === null) document.contents = document.createNode({ apiVersion: 'v1', kind: 'Config' });
  if (!isMap(document.contents)) throw new CliError('it is no kubeconfig');
  const { name } = entry;
  const context = document.getIn(['contexts'], false);
  const before = isSeq(context) ? context.items.find((item) => isMap(item) && item.get('name') === name) : undefined;
  const namespace = isMap(before) ? before.getIn(['context', 'namespace']) : undefined;
  upsert(document, 'clusters', name, 'cluster', clusterOf(entry));
  upsert(document, 'users', name, 'user', userOf(entry));
  upsert(document, 'contexts', name, 'context', { cluster: name, user: name, ...(namespace ? { namespace } : {}) });
  document.set('current-context', name);
  return document.toString({ lineWidth: 0 });
};

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new CliError(`cannot read ${path}: ${(error as Error).message}`, 1, { cause: error });
  }
};

/** The target of a symbolic link, so that the link survives the write. */
const targetOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/** Writes atomically, readable only by the owner. */
const write = (path: string, text: string): void => {
  const target = targetOf(path);
  const draft = `${target}.${process.pid}.new`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(draft, text, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CliError(`cannot write ${path}: ${(error as Error).message}`, 1, { cause: error });
  }
};

/** Writes the entry into the kubeconfig at `path`, which may be missing. */
export const writeEntry = (path: string, entry: Entry): void => {
  let text: string;
  try {
    text = merged(read(path), entry);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(`${path} is left as it is: ${error.message}`, 1, { cause: error });
  }
  write(path, text);
};
