/** Resolves an instance's user data to its cloud-config documents, including fetched ones. */
import { gunzipSync } from 'node:zlib';
import { isMime, mimeParts } from './mime.ts';

/** What a pointer's boothook can access: the metadata service, and secrets of one region, by name. */
export interface SecretReader {
  region: string;
  launchIndex?: number | undefined;
  read(name: string): Uint8Array | undefined;
}

export interface UserData {
  /** Documents that begin with `#cloud-config` or `## template: jinja`, in order. */
  documents: string[];
  /** Configurations of EKS' nodeadm, in order. */
  nodeConfigs: string[];
  /** Secrets that were read, to be deleted once the documents are saved. */
  secrets: string[];
  /** One line for each fault; the faulty parts are missing from `documents`. */
  faults: string[];
}

const includedFile = 'file:///etc/secret-userdata.txt';
const mostNested = 4;

const gunzipped = (data: Uint8Array): Uint8Array => (data[0] === 0x1f && data[1] === 0x8b ? gunzipSync(data) : data);

const assignment = (script: string, name: string): string | undefined =>
  new RegExp(`^\\s*(?:export\\s+)?${name}="?([^"\\n]*)"?\\s*$`, 'm').exec(script)?.[1];

/**
 * Does the work of the boothook script: fetches the chunks, deletes each if it says so, unpacks them together.
 */
const runBoothook = (script: string, secrets: SecretReader, into: UserData): Uint8Array | undefined => {
  const region = assignment(script, 'REGION');
  const common = assignment(script, 'SECRET_PREFIX');
  const isIndexed = common !== undefined && assignment(script, 'BY_LAUNCH_INDEX') === 'true';
  const prefix = isIndexed ? `${common}-${secrets.launchIndex ?? 0}` : common;
  const chunks = Number(assignment(script, 'CHUNKS'));
  if (!region || !prefix || !Number.isInteger(chunks) || chunks < 1) return undefined;
  const deletes = /^\s*aws \S+ delete-/m.test(script);
  const parts: Uint8Array[] = [];
  for (let index = 0; index < chunks; index++) {
    const name = `${prefix}-${index}`;
    const data = region === secrets.region ? secrets.read(name) : undefined;
    if (!data) {
      into.faults.push(`boothook: could not get secret value ${name} in region ${region}: ResourceNotFoundException`);
      return undefined;
    }
    parts.push(data);
    if (deletes) into.secrets.push(name);
  }
  try {
    return gunzipped(Buffer.concat(parts));
  } catch (error) {
    into.faults.push(`boothook: gunzip: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
};

interface Pass {
  into: UserData;
  /** The file from an earlier pass. */
  file: Uint8Array | undefined;
  boothooks: string[];
}

const read = (data: Uint8Array, pass: Pass, depth: number): void => {
  const { into, file, boothooks } = pass;
  const text = Buffer.from(gunzipped(data)).toString('utf8');
  if (text.trim() === '') return;
  if (!isMime(text)) {
    if (/^\s*(?:#cloud-config|## template: jinja)/i.test(text)) into.documents.push(text);
    else if (!text.trimStart().startsWith('#!'))
      into.faults.push(`Unhandled non-multipart (text/x-not-multipart) userdata: '${text.slice(0, 24)}...'`);
    return;
  }
  for (const { type, body } of mimeParts(text)) {
    switch (type) {
      case 'text/cloud-boothook':
        boothooks.push(body);
        break;
      case 'text/x-include-url':
        for (const url of body.split('\n').map((line) => line.trim())) {
          if (url === '' || url.startsWith('#')) continue;
          if (url === includedFile && file && depth < mostNested) read(file, pass, depth + 1);
          else into.faults.push(`util.py[WARNING]: Fetching from ${url} resulted in an invalid response`);
        }
        break;
      case 'text/cloud-config':
      case 'text/jinja2':
        into.documents.push(body);
        break;
      case 'application/node.eks.aws':
        into.nodeConfigs.push(body);
        break;
      case 'text/x-shellscript':
        break;
      default:
        into.faults.push(`Unhandled unknown content-type (${type}) userdata`);
    }
  }
};

const restart = /^\s*systemctl restart cloud-init(?:\.service)?\s*$/m;

/**
 * Includes are resolved before boothooks run: a boothook's file is found when cloud-init starts
 * again.
 */
const readInPasses = (data: Uint8Array, secrets: SecretReader, into: UserData): void => {
  const first: Pass = {
    into: { documents: [], nodeConfigs: [], secrets: [], faults: [] },
    file: undefined,
    boothooks: [],
  };
  read(data, first, 0);
  for (const script of first.boothooks) {
    const file = runBoothook(script, secrets, into);
    if (!file || !restart.test(script)) continue;
    read(data, { into, file, boothooks: [] }, 0);
    return;
  }
  into.documents.push(...first.into.documents);
  into.nodeConfigs.push(...first.into.nodeConfigs);
  into.faults.push(...first.into.faults);
};

/** Total: an unreadable part is a fault. Deletes nothing. */
export const readUserData = (userData: string | Uint8Array, secrets: SecretReader): UserData => {
  const result: UserData = { documents: [], nodeConfigs: [], secrets: [], faults: [] };
  try {
    readInPasses(typeof userData === 'string' ? Buffer.from(userData) : userData, secrets, result);
  } catch (error) {
    result.faults.push(`Failed loading userdata: ${error instanceof Error ? error.message : String(error)}`);
  }
  return result;
};
