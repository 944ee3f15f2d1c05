/**
 * What the boot scripts of an instance could not do, from its console output: a host that does not
 * become a Node has no other way to report it. Pure.
 */
import { conditionOf, type LegacyDraft, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { withoutCredentials } from '../../common/credentials.ts';
import { bootstrapExecSucceeded } from '../../core/contract/infrastructure.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { CloudOutput, Instance } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import { sinceOf } from './conditions.ts';
import type { AWSMachine } from './schema.ts';

const failed = 'BootstrapFailed';

/** Seconds in which a host boots and joins; then its console is read, at growing intervals. */
const boots = 180;
const longestWait = 600;

const reported = ({ status }: AWSMachine) => conditionOf(status?.conditions, bootstrapExecSucceeded);

/** cloud-init runs the scripts once, so a failure stays. */
const isAwaited = (awsMachine: AWSMachine, machine: Machine | undefined): boolean =>
  machine !== undefined &&
  machine.status?.nodeRef === undefined &&
  machine.metadata.deletionTimestamp === undefined &&
  awsMachine.metadata.deletionTimestamp === undefined &&
  reported(awsMachine)?.reason !== failed;

type Time = Pick<Context, 'now' | 'config'>;

const runningFor = (awsMachine: AWSMachine, now: number): number =>
  awsMachine.status?.ready ? (now - sinceOf(awsMachine, 'InstanceReady', now)) / 1000 : 0;

/** Undefined while there is no reason to read it. */
export const observeConsole = (
  read: Reader,
  region: string,
  {
    awsMachine,
    machine,
    instances,
  }: { awsMachine: AWSMachine; machine: Read<Machine>; instances: readonly Instance[] },
  { now, config }: Time,
): Read<CloudOutput<'GetConsoleOutput'>> | undefined => {
  const running = instances.find(({ State }) => State.Name === 'running');
  if (!running || !isAwaited(awsMachine, found(machine))) return undefined;
  if (runningFor(awsMachine, now) < boots / speedOf(config)) return undefined;
  const { InstanceId } = running;
  const latest = askCloud(read, region, 'GetConsoleOutput', { InstanceId, Latest: true });
  const isOld = latest.state === 'unreadable' && latest.reason.includes('UnsupportedOperation');
  return isOld ? askCloud(read, region, 'GetConsoleOutput', { InstanceId }) : latest;
};

export const isBootFailed = (changes: readonly LegacyDraft[]): boolean =>
  changes.some(({ type, reason }) => type === bootstrapExecSucceeded && reason === failed);

/** Seconds until the console is read, or read again. */
export const untilConsole = (
  awsMachine: AWSMachine,
  machine: Machine | undefined,
  isFailed: boolean,
  { now, config }: Time,
): number | undefined => {
  if (isFailed || !isAwaited(awsMachine, machine)) return undefined;
  const [elapsed, first] = [runningFor(awsMachine, now), boots / speedOf(config)];
  return elapsed < first ? first - elapsed : Math.min(longestWait, elapsed / 4);
};

/** The time since boot, and the program, before what a service prints. */
const prefix = /^\[ *\d+\.\d+\] /;
const byCloudInit = /^cloud-init\[\d+\]: /;
const begins = /^Cloud-init v\. .* running '/;
/** cloud-init's own words for a script or a configuration that fails. */
const fails = /\bFailed (to run|running|loading|to load|to shellify)\b|^cloud-init: /;
/** What follows a cause, and lines of `set -x`, which may show a credential. */
const noise =
  /^$|^\++ |^To see the stack trace|If you know what you are doing|(Running module|Failed to run module|Failed running) /;

const shown = 3;
const longest = 400;

/** The last lines before cloud-init says that scripts failed; undefined if it does not. */
export const failureIn = (text: string): string | undefined => {
  const all = text.split(/\r?\n/).map((line) => line.replace(prefix, ''));
  const own = all.filter((line) => byCloudInit.test(line));
  const lines = (own.length > 0 ? own : all).map((line) => line.replace(byCloudInit, '').trim());
  const end = lines.findLastIndex((line) => fails.test(line));
  if (end === -1) return undefined;
  const start = lines.findLastIndex((line, at) => at < end && begins.test(line)) + 1;
  const output = lines.slice(start, end + 1).filter((line) => !noise.test(line));
  const last = output.filter((line, at) => output.lastIndexOf(line) === at).slice(-shown);
  return last.map(withoutCredentials).join('; ').slice(0, longest);
};

const where = 'see /var/log/cloud-init-output.log on it';

/** What the API server last answered a kubelet that it does not let in; it asks again. */
const refusalIn = (text: string): string | undefined =>
  [...text.matchAll(/\bUnable to register node with API server\\?" err=\\?"([^"\\]+)/g)].at(-1)?.[1];

/** A change of the condition, if there is one. */
export const consoleConditions = (
  awsMachine: AWSMachine,
  machine: Machine | undefined,
  instance: Instance,
  console: Read<CloudOutput<'GetConsoleOutput'>> | undefined,
): LegacyDraft[] => {
  if (reported(awsMachine) && machine?.status?.nodeRef) return [legacyTrue(bootstrapExecSucceeded)];
  if (!console) return [];
  const { InstanceId } = instance;
  if (console.state === 'unreadable') {
    const message = `The console output of instance ${InstanceId} cannot be read: ${console.reason}`;
    return [legacyFalse(bootstrapExecSucceeded, 'ConsoleUnreadable', 'Info', message)];
  }
  const text = Buffer.from(found(console)?.Output ?? '', 'base64').toString('utf8');
  const failure = failureIn(text);
  const refusal = refusalIn(text);
  if (failure === undefined && refusal !== undefined) {
    const message = `The API server does not let instance ${InstanceId} register as a Node: ${withoutCredentials(refusal)}`;
    return [legacyFalse(bootstrapExecSucceeded, 'NodeRefused', 'Warning', message)];
  }
  if (failure === undefined) return [];
  const why = failure === '' ? 'they printed no reason' : failure;
  const message = `The boot scripts of instance ${InstanceId} failed: ${why} (${where})`;
  return [legacyFalse(bootstrapExecSucceeded, failed, 'Warning', message)];
};
