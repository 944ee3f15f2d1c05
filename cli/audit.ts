/** `capstan audit`: who did what, from the audit log of a deployment or of a laptop. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { auditFileOf } from '../local/audit-file.ts';
import { formerOf } from '../local/rotating-file.ts';
import type { AuditEvent } from '../machinery/server/index.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { type Print, renderItems } from './output.ts';

export interface AuditOptions {
  /** Minutes. */
  since: number;
  user?: string;
  /** `clusters`, `cluster/prod` or `clusters/prod`. */
  object?: string;
  verb?: string;
  namespace?: string;
  /** Shows what was written. */
  bodies?: boolean;
  output?: string;
}

type Selection = Pick<AuditOptions, 'user' | 'object' | 'verb' | 'namespace'>;

/** Verbs that change something: those that are shown without `--verb`. */
const changing = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Those of the Kubernetes API; requests for something else have their HTTP method as verb. */
const known = ['get', 'list', 'watch', ...changing, 'post', 'put', 'head', 'all'];

const verbsOf = (verb: string): string[] => verb.toLowerCase().split(',');

const checkVerbs = (verb: string | undefined): void => {
  const unknown = verb === undefined ? [] : verbsOf(verb).filter((one) => !known.includes(one));
  if (unknown.length > 0)
    throw new CliError(`--verb knows no ${unknown.join(', ')}: name ${known.join(', ')}, or several with commas`, 2);
};

const singularOf = (resource: string): string => resource.replace(/ies$/, 'y').replace(/s$/, '');
const isOf = (resource: string, given: string): boolean => {
  const wanted = given.toLowerCase();
  return resource === wanted || singularOf(resource) === singularOf(wanted);
};

const isAbout = ({ objectRef }: AuditEvent, object: string): boolean => {
  const [kind = '', name] = object.split('/') as [string, string?];
  return objectRef !== undefined && isOf(objectRef.resource, kind) && (name === undefined || objectRef.name === name);
};

const usersOf = ({ user, impersonatedUser }: AuditEvent): string[] =>
  [user.username, ...(user.extra?.sessionName ?? []), impersonatedUser?.username].filter((one) => one !== undefined);

/** Whether the event is one that the user asks for. A pure function. */
export const isSelected = (event: AuditEvent, { user, object, verb, namespace }: Selection): boolean => {
  const verbs = verb === undefined ? changing : verbsOf(verb);
  return (
    (verbs.includes('all') || verbs.includes(event.verb)) &&
    (user === undefined || usersOf(event).some((name) => name.includes(user))) &&
    (object === undefined || isAbout(event, object)) &&
    (namespace === undefined || event.objectRef?.namespace === namespace)
  );
};

const objectOf = ({ objectRef, requestURI }: AuditEvent): string => {
  if (!objectRef) return requestURI;
  const { resource, subresource, name = '' } = objectRef;
  return `${resource}${subresource ? `/${subresource}` : ''} ${name}`.trimEnd();
};

/** The session of a role often has the name of a person. */
const userOf = ({ user, impersonatedUser }: AuditEvent): string => {
  const [session] = user.extra?.sessionName ?? [];
  const own = `${user.username ?? 'unknown'}${session ? ` (${session})` : ''}`;
  return impersonatedUser ? `${own} as ${impersonatedUser.username}` : own;
};

/** In a line. */
const bodyOf = ({ requestObject, annotations }: AuditEvent): string =>
  requestObject === undefined ? (annotations['capstan.dev/request-omitted'] ?? '') : JSON.stringify(requestObject);

const columns = ['TIME', 'USER', 'VERB', 'NAMESPACE', 'OBJECT', 'CODE', 'CLIENT'];

export const renderAudit = (events: AuditEvent[], output: string | undefined, bodies = false): string =>
  renderItems(events, output, [...columns, ...(bodies ? ['BODY'] : [])], (event) => [
    event.requestReceivedTimestamp.replace(/\.\d+Z$/, 'Z'),
    userOf(event),
    event.verb,
    event.objectRef?.namespace ?? '',
    objectOf(event),
    String(event.responseStatus.code),
    (event.userAgent ?? '').split(' ')[0]!,
    ...(bodies ? [bodyOf(event)] : []),
  ]);

/** The events in lines; a line that was cut off when the process ended is none. */
export const eventsIn = (text: string): AuditEvent[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as AuditEvent];
    } catch {
      return [];
    }
  });

const eventsHere = (kubeconfig: string): AuditEvent[] => {
  const path = auditFileOf(dirname(kubeconfig));
  if (!existsSync(path))
    throw new CliError(
      `there is no audit log at ${path}: does the kubeconfig lie where the control plane keeps its data?`,
    );
  return [formerOf(path), path].flatMap((one) => (existsSync(one) ? eventsIn(readFileSync(one, 'utf8')) : []));
};

export const printAudit = async (
  client: Pick<ApiClient, 'deployment'>,
  kubeconfig: string,
  { since, output, bodies, ...selection }: AuditOptions,
  { now = Date.now(), print = console.log }: { now?: number; print?: Print } = {},
): Promise<void> => {
  checkVerbs(selection.verb);
  const from = now - since * 60_000;
  const { deployment } = client;
  const events = deployment
    ? await (await import('./aws/audit-events.ts')).auditEvents(deployment, from)
    : eventsHere(kubeconfig);
  const shown = events
    .filter((event) => Date.parse(event.requestReceivedTimestamp) >= from && isSelected(event, selection))
    .toSorted((a, b) => (a.requestReceivedTimestamp < b.requestReceivedTimestamp ? -1 : 1));
  print(renderAudit(shown, output, bodies));
};
