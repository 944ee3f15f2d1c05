/** The control plane: serves the Kubernetes API and runs the controllers. */
import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import { createApi } from './api.ts';
import { arnIn } from './arn.ts';
import { createAuditLog } from './audit.ts';
import { addEnvironments, baseEnvironment, servingEnvironment } from './environment.ts';
import { createEvents } from './events.ts';
import { createFront } from './front.ts';
import { createFunctions } from './functions.ts';
import { createGuard } from './guard.ts';
import { createKey, createSnapshotKeysKey } from './key.ts';
import { createLostChanges } from './lost-changes.ts';
import { createMappings } from './mappings.ts';
import { functionNames, namesOf } from './names.ts';
import { allowNetwork, createNetwork } from './network.ts';
import { allow } from './permissions/index.ts';
import { createQueues } from './queues.ts';
import { type Resources, resourcesOf, stateMachineArnsOf } from './resources.ts';
import { createSchedules } from './schedules.ts';
import type { Settings } from './settings.ts';
import { createSettingsGuard, type RecordedContext } from './settings-guard.ts';
import { createSnapshotBucket } from './snapshots.ts';
import { createTables, type Tables } from './tables.ts';
import { createWorkflows } from './workflows.ts';

export interface ControlPlaneProps extends StackProps {
  settings: Settings;
  recorded: RecordedContext;
  /** The folder with one folder per function. */
  code: string;
}

export class ControlPlane extends Stack {
  readonly tables: Tables;
  readonly resources: Resources;

  constructor(scope: Construct, id: string, { settings, recorded, code, ...props }: ControlPlaneProps) {
    super(scope, id, { description: 'Capstan, a control plane for Kubernetes clusters', ...props });
    const { installation } = settings;
    const names = namesOf(installation);
    // Unique to this installation, so that another one's tokens are rejected.
    const clusterId = [installation, this.account, this.region].join('.');

    const key = createKey(this, settings);
    const tables = createTables(this);
    const queues = createQueues(this, names);
    const { deadLetters } = queues;
    // The guard function needs these.
    const prerequisites = [...this.node.children];
    const auditLog = createAuditLog(this, settings);
    const snapshots = createSnapshotBucket(this, key, settings);
    const snapshotKeysKey = createSnapshotKeysKey(this, settings);
    const stateMachineArns = stateMachineArnsOf(this, names, settings);
    const shared = {
      settings,
      names,
      clusterId,
      key,
      auditLog,
      tables,
      snapshots,
      snapshotKeysKey,
      queues,
      stateMachineArns,
    };
    const environment = baseEnvironment(this, shared);
    const network = createNetwork(this, settings);
    const functions = createFunctions(this, { code, names, settings, deadLetters, environment, network });
    const { url, domainTarget, auditWebhookUrl } = createApi(this, { functions, names, settings });
    const stateMachines = createWorkflows(this, { operate: functions.operate, names, settings });
    createEvents(this, { functions, names, deadLetters, stateMachines, regions: settings.regions });
    const group = arnIn(this)('scheduler', `schedule-group/${names.scheduleGroup}`);
    const schedules = createSchedules(this, functions, names, { account: this.account, group });
    const lostChanges = createLostChanges(this, { names, sweep: functions.sweep.function, deadLetters });
    const mappings = createMappings(this, { tables, queues, functions, lostChanges, settings });
    addEnvironments(this, functions, mappings, { ...shared, auditWebhookUrl, url });

    const schedulerRole = schedules.role;
    const resources = resourcesOf(this, {
      names,
      settings,
      key,
      auditLog,
      tables,
      snapshots,
      snapshotKeysKey,
      queues,
      mappings,
      schedulerRole,
      hasFormerSecrets: recorded.hasFormerSecrets,
    });
    for (const name of functionNames) allow(functions[name].role, name, resources);
    if (network) {
      const name = 'reconcile-workload';
      allowNetwork(functions[name].role, network, resources.functions[name]);
    }
    const front = createFront(this, {
      code,
      names,
      settings,
      environment: { AWS_REGION: this.region, ...environment, ...servingEnvironment({ ...shared, url }) },
    });
    if (front) allow(front.role, 'api', resources);
    const unguarded = new Set<IConstruct>([...prerequisites, ...Object.values(functions.guard)]);
    const guarded = this.node.children.filter((child) => !unguarded.has(child));
    createSettingsGuard(this, functions.guard.function, recorded, guarded);
    createGuard(this, functions.guard.function);

    const outputs = {
      Url: url,
      ...(domainTarget !== undefined && { DomainTarget: domainTarget }),
      ...(front && { FrontUrl: front.url, FrontTarget: front.domainTarget }),
      Installation: installation,
      ClusterId: clusterId,
      ObjectsTable: tables.objects.tableName,
      WorkTable: tables.work.tableName,
      KeyArn: key.keyArn,
      SnapshotKeysKeyArn: snapshotKeysKey.keyArn,
      SnapshotBucket: snapshots.bucketName,
      AuditLogGroup: auditLog.logGroupName,
      ...(recorded.hasFormerSecrets && { FormerSecrets: 'true' }),
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
    // A tag of its own: resources with the installation's tag are counted, reported as orphans and may be
    // deleted.
    Tags.of(this).add('capstan.dev/control-plane', installation);
    this.tables = tables;
    this.resources = resources;
  }
}
