/** What cloud-init makes of cloud-config documents: one merged configuration, and the inputs of its modules. */
import { gunzipSync } from 'node:zlib';
import { renderJinja } from '../../../kinds/components/jinja/template.ts';
import type { Mapping } from '../../../kinds/components/jinja/value.ts';
import type { FileSystem, Mounted } from '../../../kinds/components/kubeadm/preflight.ts';
import { unknownOwner } from '../../../kinds/components/users.ts';
import { isObject } from '../../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../../machinery/api/yaml.ts';

export type CloudConfig = Record<string, unknown>;

const templateMark = /^##[ \t]*template:(.*)(?:\r?\n|$)/i;

/** The text behind the template's first line, rendered. Throws where cloud-init drops the part. */
const rendered = (source: string, data: Mapping): string => {
  const [mark, type = ''] = templateMark.exec(source) ?? [];
  if (mark === undefined) return source;
  if (type.trim().toLowerCase() !== 'jinja')
    throw new Error(`Unknown template rendering type '${type.trim()}' requested`);
  return renderJinja(source.slice(mark.length), data);
};

/** Throws an Error with cloud-init's reason when it drops the document. */
export const parseCloudConfig = (source: string, data: Mapping): CloudConfig => {
  const text = rendered(source, data).trimStart();
  if (!/^#cloud-config/i.test(text)) throw new Error("Cloud config needs to start with '#cloud-config'");
  const documents = yamlDocuments(text);
  if (documents.length > 1) throw new Error('expected a single document in the stream, but found another document');
  let config: unknown;
  try {
    config = documents[0] ? documentValue(documents[0]) : undefined;
  } catch (error) {
    throw new Error(`Failed loading yaml blob. Invalid format: ${error instanceof Error ? error.message : error}`);
  }
  if (!isObject(config ?? {})) throw new Error('Failed loading yaml blob. Yaml load allows (<class dict>,) root types');
  return (config ?? {}) as CloudConfig;
};

/** A later document's keys replace those of an earlier one. */
export const merged = (documents: readonly CloudConfig[]): CloudConfig => Object.assign({}, ...documents);

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

/** As shell text; lists are quoted word by word. Throws where the module fails, and runs none of them. */
export const commandsOf = (config: CloudConfig, key: 'bootcmd' | 'runcmd'): string[] => {
  const value = config[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`Input to shellify was type '${typeof value}'. Expected list or tuple.`);
  return value.flatMap((command, index) => {
    if (command === null) return [];
    if (typeof command === 'string') return [command];
    if (Array.isArray(command)) return [command.map((word) => quoted(String(word))).join(' ')];
    throw new Error(`Unable to shellify type '${typeof command}' in ${key}.${index}. Expected list or string`);
  });
};

const encodings = ['gz', 'gzip', 'gz+base64', 'gzip+base64', 'gz+b64', 'gzip+b64', 'b64', 'base64'];

/** Python ignores what is not of the alphabet, but not a wrong length. */
const base64 = (text: string): Buffer => {
  const bare = text.replace(/[^A-Za-z0-9+/=]/g, '');
  if (bare.length % 4 !== 0) throw new Error('Incorrect padding');
  return Buffer.from(bare, 'base64');
};

const decode = (content: string, encoding: string): string => {
  const bytes = /b(?:ase)?64$/.test(encoding) ? base64(content) : Buffer.from(content, 'latin1');
  return (encoding.startsWith('gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};

const contentOf = ({ content, encoding }: Record<string, unknown>): string => {
  if (content === undefined || content === null) return '';
  if (typeof content !== 'string') throw new Error(`'${typeof content}' object has no attribute 'decode'`);
  const given = typeof encoding === 'string' ? encoding.toLowerCase().trim() : '';
  return encodings.includes(given) ? decode(content, given) : content;
};

/** Users and groups that the configuration makes, after it has written the first files. */
const madeNames = ({ users, groups }: CloudConfig): string[] => {
  const list = (value: unknown): unknown[] =>
    Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return [...list(users), ...list(groups)].flatMap((one) => {
    if (typeof one === 'string') return [one.trim()];
    return isObject(one) ? (typeof one.name === 'string' ? [one.name] : Object.keys(one)) : [];
  });
};

export interface Written {
  /** Entries that are skipped. */
  warnings: string[];
  /** Why the module failed: what follows is not written. */
  fault?: string;
}

/**
 * Runs the module that writes files: before users are made, or after it those that are deferred.
 * Files are written one by one until one fails.
 */
export const writeFiles = (
  config: CloudConfig,
  onto: Map<string, string>,
  deferred: boolean,
  knowsUsers = true,
): Written => {
  const { write_files: files } = config;
  const warnings: string[] = [];
  if (files === undefined || files === null) return { warnings };
  if (!Array.isArray(files)) return { warnings, fault: 'write_files: not a list' };
  const names = new Set(deferred ? madeNames(config) : []);
  for (const [index, entry] of files.entries()) {
    if (!isObject(entry) || typeof entry.path !== 'string' || entry.path === '') {
      warnings.push(`No path provided to write for entry ${index + 1} in module write-files`);
      continue;
    }
    if ((entry.defer === true) !== deferred) continue;
    const { path, append, owner } = entry;
    try {
      const content = contentOf(entry);
      if ([...onto.keys()].some((other) => other.startsWith(`${path}/`)))
        throw new Error(`[Errno 21] Is a directory: '${path}'`);
      onto.set(path, append === true ? (onto.get(path) ?? '') + content : content);
      const unknown = knowsUsers ? unknownOwner(owner, names) : undefined;
      if (unknown !== undefined) throw new Error(`Unknown user or group: "getpwnam(): name not found: '${unknown}'"`);
    } catch (error) {
      return { warnings, fault: `${path}: ${error instanceof Error ? error.message : error}` };
    }
  }
  return { warnings };
};

export const mountsOf = ({ mounts }: CloudConfig): Mounted[] =>
  (Array.isArray(mounts) ? mounts : []).flatMap((entry): Mounted[] => {
    const [device, point, type]: unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof point !== 'string' || !point.startsWith('/')) return [];
    return [
      { device: String(device), point: point.replace(/\/$/, ''), ...(type !== undefined && { type: String(type) }) },
    ];
  });

export const fileSystemsOf = ({ fs_setup: systems }: CloudConfig): FileSystem[] =>
  (Array.isArray(systems) ? systems : []).filter(
    (one): one is FileSystem => isObject(one) && typeof one.device === 'string',
  );

/** A file system that is mounted over a folder hides what was written into it. */
export const hideMounted = (config: CloudConfig, files: Map<string, string>): void => {
  const points = mountsOf(config).map(({ point }) => point);
  for (const path of [...files.keys()]) if (points.some((point) => path.startsWith(`${point}/`))) files.delete(path);
};
