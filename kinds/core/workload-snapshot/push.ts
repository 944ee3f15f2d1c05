/**
 * Whether the API servers of a checked cluster report changes of Nodes by themselves, so that the
 * prober need not poll for them. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { type Secret, secretName, secretValue } from '../contract/cluster-secrets.ts';
import { type PushSettings, pushesWith, pushSettingsOf } from '../contract/push/configuration.ts';
import { isReported } from '../contract/push/rules.ts';

/** Seconds between probes of an idle cluster whose API servers report. */
export const reportedPeriod = 300;
/** Seconds in addition within which the report of the last probe has arrived. */
const margin = 30;

export interface Push {
  settings: PushSettings;
  cluster: KubeObject;
  token: Read<Secret>;
  healthChecks: Read<KubeObject[]>;
}

export const observePush = (cluster: KubeObject, read: Reader, { config }: Context): Push | undefined => {
  const settings = pushSettingsOf(config);
  if (!settings) return undefined;
  const { namespace = '', name } = cluster.metadata;
  return {
    settings,
    cluster,
    token: read.get<Secret>('Secret', { namespace, name: secretName(name, 'audit-webhook') }),
    healthChecks: read.list<KubeObject>('MachineHealthCheck', { namespace, cluster: name }),
  };
};

const conditionsOf = ({ spec }: KubeObject): { type: string }[] =>
  (spec as { checks?: { unhealthyNodeConditions?: { type: string }[] } } | undefined)?.checks
    ?.unhealthyNodeConditions ?? [];

const commandsOf = ({ spec }: KubeObject): string[] =>
  ((spec as { containers?: { command?: string[] }[] } | undefined)?.containers ?? []).flatMap(
    ({ command = [] }) => command,
  );

/**
 * Every API server has the present configuration, its reports cover the conditions of all
 * MachineHealthChecks, and one arrived since the probe before.
 */
export const isReporting = (
  { settings, cluster, token, healthChecks }: Push,
  pods: readonly KubeObject[],
  { now, reported, config }: Context,
): boolean => {
  const speed = typeof config.speed === 'number' ? config.speed : 1;
  if (reported === undefined || now - reported > ((reportedPeriod + margin) * 1000) / speed) return false;
  const value = secretValue(found(token), 'token');
  const checks = found(healthChecks);
  if (value === undefined || !checks?.flatMap(conditionsOf).every(({ type }) => isReported(type))) return false;
  const { namespace = '', name } = cluster.metadata;
  const apiServers = pods.filter(({ metadata }) => metadata.labels?.component === 'kube-apiserver');
  const pushing = { settings, namespace, cluster: name, token: value };
  return apiServers.length > 0 && apiServers.every((pod) => pushesWith(commandsOf(pod), pushing));
};
