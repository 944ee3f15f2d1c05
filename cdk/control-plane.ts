/** The control plane: all that serves the Kubernetes API and makes it come true. */
import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { definitionNames } from '../stepfunctions/index.ts';
import { type Api, createApi } from './api.ts';
import { addEnvironments, baseEnvironment, type Told } from './environment.ts';
import { createEvents } from './events.ts';
import { createFunctions, type Functions, isBundled } from './functions.ts';
import { createGuard } from './guard.ts';
import { createKey } from './key.ts';
import { createMappings, type QueueMappings } from './mappings.ts';
import { functionNames, namesOf, scheduleNames } from './names.ts';
import { createNetwork } from './network.ts';
import { statementsFor } from './permissions/index.ts';
import { createQueues, perQueue, type Queues } from './queues.ts';
import type { Resources } from './resources.ts';
import { createSchedules } from './schedules.ts';
import type { Settings } from './settings.ts';
import { createTables, type Tables } from './tables.ts';
import { createWorkflows, type StateMachines } from './workflows.ts';

export interface ControlPlaneProps extends StackProps {
  settings: Settings;
  /** The folder that holds a folder for each function. */
  code: string;
}

export class ControlPlane extends Stack {
  readonly tables: Tables;
  readonly queues: Queues;
  readonly functions: Functions;
  readonly stateMachines: StateMachines | undefined;
  readonly api: Api;

  constructor(scope: Construct, id: string, { settings, code, ...props }: ControlPlaneProps) {
    super(scope, id, { description: 'Capstan, a control plane for Kubernetes clusters', ...props });
    const { installation } = settings;
    const names = namesOf(installation);
    const key = createKey(this, installation);
    this.tables = createTables(this);
    this.queues = createQueues(this, names);
    const { tables, queues } = this;

    const named = (service: string, resource: string) =>
      `arn:${this.partition}:${service}:${this.region}:${this.account}:${resource}`;
    const known = {
      key: key.keyArn,
      stateMachines: settings.workflows
        ? Object.fromEntries(
            definitionNames.map((name) => [name, named('states', `stateMachine:${names.stateMachine(name)}`)]),
          )
        : {},
    };
    // Of this installation alone: a token that was signed for another must not be of use here.
    const clusterId = [installation, this.account, this.region].join('.');
    const told: Told = { settings, names, clusterId, resources: known, tables, queues };

    this.functions = createFunctions(this, {
      code,
      names,
      settings,
      deadLetters: queues.deadLetters,
      environment: baseEnvironment(this, told),
      network: createNetwork(this, settings),
    });
    const { functions } = this;
    this.api = createApi(this, { functions, names, settings });
    this.stateMachines = settings.workflows
      ? createWorkflows(this, { operate: functions.operate, names, settings })
      : undefined;
    createEvents(this, { functions, deadLetters: queues.deadLetters, stateMachines: this.stateMachines });
    const schedules = createSchedules(this, functions.sweep, names, {
      account: this.account,
      group: named('scheduler', `schedule-group/${names.scheduleGroup}`),
    });
    const mappings = createMappings(this, { tables, queues, functions, settings });
    addEnvironments(this, functions, mappings, told);
    this.allow({
      ...known,
      installation,
      partition: this.partition,
      region: this.region,
      account: this.account,
      tables: { objects: tables.objects.tableArn, work: tables.work.tableArn },
      stream: tables.objects.tableStreamArn!,
      queues: perQueue((worker, speed) => queues.of[worker][speed].queueArn),
      deadLetters: queues.deadLetters.queueArn,
      functions: Object.fromEntries(
        functionNames.map((name) => [name, named('lambda', `function:${names.function(name)}`)]),
      ) as Resources['functions'],
      mark: named('ssm', `parameter${names.mark}`),
      schedules: Object.fromEntries(
        scheduleNames.map((name) => [
          name,
          named('scheduler', `schedule/${names.scheduleGroup}/${names.schedule(name)}`),
        ]),
      ) as Resources['schedules'],
      schedulerRole: schedules.role.roleArn,
      mappings: mappingArns(mappings, named),
      nodeRoles: settings.nodeRoles,
    });
    // Made last, so that the first thing asked of a removal is whether it may be.
    if (isBundled(code, 'guard')) {
      const guarded = this.node.children.filter((child) => child !== functions.guard.function);
      createGuard(this, functions.guard.function, guarded);
    }
    this.tell(installation, clusterId, key.keyArn);
    Tags.of(this).add('capstan.dev/installation', installation);
  }

  /** Gives each function's role what its calls need. */
  private allow(resources: Resources): void {
    for (const name of functionNames.filter((one) => this.functions[one]))
      for (const statement of statementsFor(name, resources)) this.functions[name].role.addToPolicy(statement);
  }

  private tell(installation: string, clusterId: string, keyArn: string): void {
    const { objects, work } = this.tables;
    const outputs = {
      Url: this.api.url,
      Installation: installation,
      ClusterId: clusterId,
      ObjectsTable: objects.tableName,
      WorkTable: work.tableName,
      KeyArn: keyArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}

const mappingArns = (mappings: QueueMappings, named: (service: string, resource: string) => string): string[] =>
  Object.values(mappings).flatMap(({ hot, slow }) =>
    [hot, slow].map(({ eventSourceMappingId }) => named('lambda', `event-source-mapping:${eventSourceMappingId}`)),
  );
