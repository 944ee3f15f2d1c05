/** Environment variables of the functions, as `lambdas/environment.ts` parses them. */
import type { aws_kms as kms, aws_logs as logs, Stack, aws_s3 as s3 } from 'aws-cdk-lib';
import { concurrencyOf } from './concurrency.ts';
import type { Environment, Functions } from './functions.ts';
import type { Mappings } from './mappings.ts';
import { type Names, type Speed, scheduleNames, workerClasses } from './names.ts';
import { perQueue, type Queues } from './queues.ts';
import type { Resources } from './resources.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

export interface SharedSettings {
  settings: Settings;
  names: Names;
  clusterId: string;
  key: kms.Key;
  auditLog: logs.LogGroup;
  stateMachineArns: Resources['stateMachines'];
  tables: Tables;
  snapshots: s3.Bucket;
  snapshotKeysKey: kms.Key;
  queues: Queues;
  auditWebhookUrl: string | undefined;
  /** The URL of the API. */
  url: string;
}

/** At a low concurrency limit only one queue per class is polled. */
const usedSpeed = (settings: Settings, speed: Speed): Speed => (concurrencyOf(settings).hasSlowQueues ? speed : 'hot');

export const baseEnvironment = (
  stack: Stack,
  { settings, key, tables, queues }: Pick<SharedSettings, 'settings' | 'key' | 'tables' | 'queues'>,
): Environment => ({
  INSTALLATION: settings.installation,
  OBJECTS_TABLE: tables.objects.tableName,
  WORK_TABLE: tables.work.tableName,
  KEY_ID: key.keyArn,
  QUEUES: stack.toJsonString(perQueue((worker, speed) => queues.of[worker][usedSpeed(settings, speed)].queueUrl)),
});

export const servingEnvironment = ({
  settings,
  clusterId,
  auditLog,
  url,
}: Pick<SharedSettings, 'settings' | 'clusterId' | 'auditLog' | 'url'>): Environment => ({
  CLUSTER_ID: clusterId,
  ADMINISTRATORS: JSON.stringify(settings.administrators),
  VIEWERS: JSON.stringify(settings.viewers),
  BREAK_GLASS: JSON.stringify(settings.breakGlass),
  AUDIT_LOG_GROUP: auditLog.logGroupName,
  OIDC: JSON.stringify(settings.oidc ?? []),
  STS: String(settings.sts),
  ISSUER: url,
});

const addTo = (functions: Functions, names: readonly (keyof Functions)[], environment: Environment) => {
  for (const name of names)
    for (const [variable, value] of Object.entries(environment))
      functions[name].function.addEnvironment(variable, value);
};

/** Additional variables of functions that serve, act on the account, or switch mappings. */
export const addEnvironments = (
  stack: Stack,
  functions: Functions,
  mappings: Mappings,
  shared: SharedSettings,
): void => {
  const { settings, names, stateMachineArns } = shared;
  addTo(functions, ['api', 'watch'], servingEnvironment(shared));
  const { watches, hasSlowQueues } = concurrencyOf(settings);
  // Some paths route a watch to `api`.
  addTo(functions, ['api', 'watch'], { WATCHES: String(watches) });
  const reconciling = workerClasses.map((worker) => `reconcile-${worker}` as const);
  addTo(functions, reconciling, {
    WORKFLOWS: stack.toJsonString(stateMachineArns),
  });
  if (settings.cloudShare !== undefined) addTo(functions, reconciling, { CLOUD_SHARE: String(settings.cloudShare) });
  addTo(functions, ['reconcile-workload'], {
    SNAPSHOT_BUCKET: shared.snapshots.bucketName,
    SNAPSHOT_KEYS_KEY_ID: shared.snapshotKeysKey.keyArn,
    ...(settings.snapshotLockDays !== undefined && { SNAPSHOT_LOCK_DAYS: String(settings.snapshotLockDays) }),
  });
  if (shared.auditWebhookUrl !== undefined)
    addTo(functions, ['reconcile-workload'], { AUDIT_WEBHOOK_URL: shared.auditWebhookUrl });
  const { httpsProxy, noProxy } = settings;
  if (httpsProxy !== undefined)
    addTo(functions, ['reconcile-workload'], { HTTPS_PROXY: httpsProxy, ...(noProxy && { NO_PROXY: noProxy }) });
  const uuids = (speed: Speed) => workerClasses.map((worker) => mappings.queues[worker][speed].eventSourceMappingId);
  addTo(functions, ['dispatch', 'operate', 'executions', 'sweep'], {
    MAPPINGS: stack.toJsonString({ hot: uuids('hot'), slow: hasSlowQueues ? uuids('slow') : [] }),
    SCHEDULES: JSON.stringify(scheduleNames.map((name) => names.schedule(name))),
    SCHEDULE_GROUP: names.scheduleGroup,
    RULES: JSON.stringify([names.instanceRule]),
  });
  addTo(functions, ['sweep'], { CHANGES: mappings.changes.eventSourceMappingId });
};
