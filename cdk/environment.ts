/** Environment variables of the functions, as `lambdas/environment.ts` parses them. */
import type { aws_kms as kms, aws_logs as logs, Stack, aws_s3 as s3 } from 'aws-cdk-lib';
import { concurrencyOf } from './concurrency.ts';
import type { Environment, Functions } from './functions.ts';
import { lambdas } from './lambdas/index.ts';
import type { EnvironmentPart } from './lambdas/lambda.ts';
import type { Mappings } from './mappings.ts';
import { functionNames, type Names, type Speed, workerClasses } from './names.ts';
import { perQueue, type Queues } from './queues.ts';
import type { Resources } from './resources.ts';
import { scheduleNames } from './scheduled.ts';
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
  ...(settings.auditLevel !== 'Metadata' && { AUDIT_LEVEL: settings.auditLevel }),
  OIDC: JSON.stringify(settings.oidc ?? []),
  STS: String(settings.sts),
  ISSUER: url,
});

/** Additional variables, by the parts that functions name. */
const partsOf = (
  stack: Stack,
  mappings: Mappings,
  shared: SharedSettings,
): Readonly<Record<EnvironmentPart, Environment>> => {
  const { settings, names } = shared;
  const { watches, hasSlowQueues } = concurrencyOf(settings);
  const { cloudShare, snapshotLockDays, httpsProxy, noProxy } = settings;
  const uuids = (speed: Speed) => workerClasses.map((worker) => mappings.queues[worker][speed].eventSourceMappingId);
  return {
    // Some paths route a watch to `api`.
    serving: { ...servingEnvironment(shared), WATCHES: String(watches) },
    reconciling: {
      WORKFLOWS: stack.toJsonString(shared.stateMachineArns),
      ...(cloudShare !== undefined && { CLOUD_SHARE: String(cloudShare) }),
    },
    clusters: {
      SNAPSHOT_BUCKET: shared.snapshots.bucketName,
      SNAPSHOT_KEYS_KEY_ID: shared.snapshotKeysKey.keyArn,
      ...(snapshotLockDays !== undefined && { SNAPSHOT_LOCK_DAYS: String(snapshotLockDays) }),
      ...(shared.auditWebhookUrl !== undefined && { AUDIT_WEBHOOK_URL: shared.auditWebhookUrl }),
      ...(httpsProxy !== undefined && { HTTPS_PROXY: httpsProxy, ...(noProxy && { NO_PROXY: noProxy }) }),
    },
    switching: {
      MAPPINGS: stack.toJsonString({ hot: uuids('hot'), slow: hasSlowQueues ? uuids('slow') : [] }),
      SCHEDULES: JSON.stringify(scheduleNames.map((name) => names.schedule(name))),
      SCHEDULE_GROUP: names.scheduleGroup,
      RULES: JSON.stringify([names.instanceRule]),
    },
    changes: { CHANGES: mappings.changes.eventSourceMappingId },
  };
};

export const addEnvironments = (
  stack: Stack,
  functions: Functions,
  mappings: Mappings,
  shared: SharedSettings,
): void => {
  const parts = partsOf(stack, mappings, shared);
  for (const name of functionNames)
    for (const part of lambdas[name].environment ?? [])
      for (const [variable, value] of Object.entries(parts[part]))
        functions[name].function.addEnvironment(variable, value);
};
