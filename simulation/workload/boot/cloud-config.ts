/** A cloud-config document as cloud-init applies it: files to write and commands to run. */
import { gunzipSync } from 'node:zlib';
import { yamlDocuments } from '../../../machinery/api/yaml.ts';
import { type InstanceData, isTemplate, renderTemplate } from './jinja.ts';

/** A command as shell text; lists in the document are quoted into one line. */
export interface CloudConfig {
  files: CloudFile[];
  bootCommands: string[];
  runCommands: string[];
}

export interface CloudFile {
  path: string;
  content: string;
  permissions: string;
  owner: string;
  append: boolean;
  /** Written after packages and users instead of before. */
  defer: boolean;
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const base64 = (text: string): Buffer => {
  const bare = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(bare) || bare.length % 4 !== 0) throw new Error('Incorrect padding');
  return Buffer.from(bare, 'base64');
};

const decode = (content: string, encoding: string): string => {
  switch (encoding.toLowerCase()) {
    case 'gz+base64':
    case 'gzip+base64':
    case 'gz+b64':
    case 'gzip+b64':
      return gunzipSync(base64(content)).toString('utf8');
    case 'b64':
    case 'base64':
      return base64(content).toString('utf8');
    case 'gz':
    case 'gzip':
      return gunzipSync(Buffer.from(content, 'latin1')).toString('utf8');
    default:
      return content;
  }
};

const fileOf = (entry: unknown, index: number): CloudFile => {
  if (!isMapping(entry) || typeof entry.path !== 'string' || entry.path === '')
    throw new Error(`write_files.${index}: 'path' is a required property`);
  const { path, content = '', encoding = 'text/plain', permissions, owner, append, defer } = entry;
  if (typeof content !== 'string') throw new Error(`write_files.${index}.content: not of type 'string'`);
  if (typeof encoding !== 'string') throw new Error(`write_files.${index}.encoding: not of type 'string'`);
  if (permissions !== undefined && typeof permissions !== 'string')
    throw new Error(`write_files.${index}.permissions: ${JSON.stringify(permissions)} is not of type 'string'`);
  return {
    path,
    content: decode(content, encoding),
    permissions: permissions ?? '0644',
    owner: typeof owner === 'string' ? owner : 'root:root',
    append: append === true,
    defer: defer === true,
  };
};

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);

const commandsOf = (value: unknown, key: string): string[] => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${key}: not of type 'array'`);
  return value.flatMap((command, index) => {
    if (command === null) return [];
    if (typeof command === 'string') return [command];
    if (Array.isArray(command)) return [command.map((word) => quoted(String(word))).join(' ')];
    throw new Error(`Unable to shellify type '${typeof command}' in ${key}.${index}. Expected list or string`);
  });
};

/** Throws an Error with cloud-init's reason when the document is unusable. */
export const parseCloudConfig = (source: string, data: InstanceData): CloudConfig => {
  const text = isTemplate(source) ? renderTemplate(source, data) : source;
  if (!/^#cloud-config\b/.test(text)) throw new Error("Cloud config needs to start with '#cloud-config'");
  const documents = yamlDocuments(text);
  if (documents.length > 1) throw new Error('expected a single document in the stream, but found another document');
  const [fault] = documents[0]?.errors ?? [];
  if (fault) throw new Error(`Failed loading yaml blob. Invalid format: ${fault.message}`);
  const config: unknown = documents[0]?.toJS() ?? {};
  if (!isMapping(config)) throw new Error('Failed loading yaml blob. Yaml load allows (<class dict>,) root types');
  const { write_files: files = [] } = config;
  if (files !== null && !Array.isArray(files)) throw new Error("write_files: not of type 'array'");
  return {
    files: (files ?? []).map(fileOf),
    bootCommands: commandsOf(config.bootcmd, 'bootcmd'),
    runCommands: commandsOf(config.runcmd, 'runcmd'),
  };
};

/** Files by path in the document's order, deferred ones last. */
export const writeFiles = (config: CloudConfig, onto: Map<string, string> = new Map()): Map<string, string> => {
  for (const file of [...config.files.filter((f) => !f.defer), ...config.files.filter((f) => f.defer)])
    onto.set(file.path, file.append ? (onto.get(file.path) ?? '') + file.content : file.content);
  return onto;
};
