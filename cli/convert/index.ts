/** `capstan convert`: prints manifests in today's versions, and each change. Contacts a server only with --check. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { KubeObject } from '../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import type { Connect } from '../client.ts';
import { CliError } from '../errors.ts';
import { exitCodeOf, hasError, lineOf } from './changes.ts';
import { refusals } from './check.ts';
import { convert, joined, type Source } from './convert.ts';
import { partsOf } from './stream.ts';

export interface ConvertOptions {
  filename?: string[];
  kustomize?: string;
  recursive?: boolean;
  diff?: boolean;
  check?: boolean;
  partial?: boolean;
  output?: 'json' | 'yaml';
}

const isManifest = (name: string): boolean => /\.(ya?ml|json)$/.test(name);

const readSource = (name: string): Source => {
  try {
    return { name, text: readFileSync(name, 'utf8') };
  } catch (error) {
    throw new CliError(`cannot read ${name}: ${(error as NodeJS.ErrnoException).code}`, 1, { cause: error });
  }
};

/** The manifests of a file, a directory, or of standard input. */
export const sourcesAt = async (name: string, recursive: boolean, input: NodeJS.ReadableStream): Promise<Source[]> => {
  if (name === '-') return [{ name, text: await textOf(input) }];
  if (!statSync(name, { throwIfNoEntry: false })?.isDirectory()) return [readSource(name)];
  const files = readdirSync(name, { recursive, encoding: 'utf8' }).filter(isManifest).sort();
  if (files.length === 0) throw new CliError(`no file in ${name} ends with .yaml, .yml or .json`);
  return files.map((file) => readSource(join(name, file)));
};

export const requireObjects = (name: string, sources: readonly Source[]): void => {
  if (sources.every(({ text }) => partsOf(text).length === 0))
    throw new CliError(`there is no object in ${name === '-' ? 'the standard input' : name}`);
};

const largest = 64 * 1024 * 1024;
const kustomized = async (directory: string): Promise<Source> => {
  try {
    const { stdout } = await promisify(execFile)('kubectl', ['kustomize', directory], { maxBuffer: largest });
    return { name: directory, text: stdout };
  } catch (error) {
    const { code, stderr = '' } = error as { code?: string; stderr?: string };
    const why = code === 'ENOENT' ? 'kubectl, which builds it, is not on the PATH' : stderr.trim().split('\n')[0];
    throw new CliError(`cannot build the kustomization ${directory}: ${why}`, 1, { cause: error });
  }
};

/** By the program diff, as kubectl diff does. It exits with 1 where the files differ. */
const diffOf = async ({ name, text }: Source, converted: string): Promise<string> => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-convert-'));
  const [before, after] = [join(directory, 'before'), join(directory, 'after')];
  writeFileSync(before, text);
  writeFileSync(after, converted);
  try {
    const labels = ['--label', name, '--label', `${name} (converted)`];
    return (await promisify(execFile)('diff', ['-u', ...labels, before, after], { maxBuffer: largest })).stdout;
  } catch (error) {
    const { code, stdout = '' } = error as { code?: unknown; stdout?: string };
    if (code === 1) return stdout;
    throw new CliError('the program diff is not on the PATH', 1, { cause: error });
  } finally {
    rmSync(directory, { recursive: true });
  }
};

const objectsIn = (text: string): KubeObject[] =>
  yamlDocuments(text)
    .map((document) => documentValue(document) as KubeObject | null)
    .filter((one) => one !== null);

/** A program that reads the output must not apply half of a cluster. */
const nothingPrinted =
  'error: nothing is printed: write what needs a hand, and run this again, or add --partial to print what there is';

export interface Streams {
  input: NodeJS.ReadableStream;
  output: { write: (text: string) => unknown };
  errors: { write: (text: string) => unknown };
}

/** Returns the exit code: 1 for what the user must write, 3 for what was lost. */
export const convertFiles = async (
  { filename = [], kustomize, recursive = false, diff, check, partial = false, output }: ConvertOptions,
  { input, output: out, errors }: Streams,
  connect: Connect,
): Promise<number> => {
  if (filename.length === 0 && kustomize === undefined)
    throw new CliError('name the manifests: -f FILE, -f DIRECTORY, -f - or -k DIRECTORY', 2);
  const files: Source[] = [];
  for (const name of filename) files.push(...(await sourcesAt(name, recursive, input)));
  const sources = kustomize === undefined ? files : [...files, await kustomized(kustomize)];
  requireObjects([...filename, ...(kustomize === undefined ? [] : [kustomize])].join(', '), sources);
  const converted = await convert(sources);
  const { texts } = converted;
  const refused = check ? await refusals(await connect(), objectsIn(joined(texts))) : [];
  const changes = [...converted.changes, ...refused];
  for (const change of changes) errors.write(`${lineOf(change)}\n`);
  if (diff) for (const [i, source] of sources.entries()) out.write(await diffOf(source, texts[i]!));
  else if (output === 'json') out.write(`${JSON.stringify({ items: objectsIn(joined(texts)), changes }, null, 2)}\n`);
  else if (partial || !hasError(changes)) out.write(joined(texts));
  else errors.write(`${nothingPrinted}\n`);
  return exitCodeOf(changes);
};
