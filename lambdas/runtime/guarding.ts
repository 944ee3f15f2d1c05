/** Decides whether an installation may be deleted, and removes its mark; and whether its settings may change. */

import { dynamoTable } from '../../adapters/aws/dynamodb/table.ts';
import { patientDynamoDb, ssm } from '../../adapters/aws/lambda/clients.ts';
import { lambdaLog } from '../../adapters/aws/lambda/log.ts';
import { parameterMarker } from '../../adapters/aws/marker/parameter.ts';
import { removeParameterMark } from '../../adapters/aws/marker/remove.ts';
import { cloudFormation } from '../../adapters/aws/stacks/client.ts';
import { stackStatus } from '../../adapters/aws/stacks/status.ts';
import { makers, openPosition } from '../../adapters/installation/index.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import type { Freeze, Marker } from '../../kinds/ports/installation.ts';
import { kindsOf } from '../../machinery/controller/kinds.ts';
import type { Clock, Log, Table } from '../../machinery/ports.ts';
import { lowerFormat, recordFormat } from '../../machinery/store/format-record.ts';
import type { GuardingEnvironment } from '../environment.ts';
import { type BlockingObjects, findBlockingObjects, renderBlockingObjects } from './blocking-objects.ts';
import { forcedBy } from './force.ts';
import type { SettingsChange } from './settings-change.ts';

export interface GuardPorts {
  installation: string;
  objects: Table;
  work: Table;
  marker: Marker;
  removeMark: () => Promise<void>;
  /** CloudFormation's status of a stack. */
  statusOf: (stack: string) => Promise<string>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

export interface Standing {
  living: BlockingObjects[];
  freeze?: Freeze;
}

/** What blocks the deletion of an installation. */
export const standingOf = async ({
  installation,
  objects,
  marker,
  log,
}: Pick<GuardPorts, 'installation' | 'objects' | 'marker' | 'log'>): Promise<Standing> => {
  const kinds = kindsOf(kindsOnDemand);
  const living = await findBlockingObjects(
    objects,
    Object.fromEntries(makers.map((kind) => [kind, kinds.typeOf(kind)])),
  );
  // Without access to the account: a search that finds a resource would write a mark.
  const position = openPosition({
    installation,
    table: objects,
    marker,
    isEmpty: async () => living.length === 0,
    regionsHeld: async () => [],
    log,
  });
  const { freeze } = await position.check();
  return { living, ...(freeze && { freeze }) };
};

export interface Guarding {
  log: Log;
  /** Why the stack must not be deleted; undefined if it may be. */
  refusal(stack: string): Promise<string | undefined>;
  /** Why the stack must not get these settings; undefined if it may. Lowers the recorded format to that of the older version. */
  refusalOfSettings(stack: string, change: Omit<SettingsChange, 'status'>): Promise<string | undefined>;
  /** Records the stored format of a version that all functions have. */
  deployed(format: number): Promise<void>;
}

export const createGuarding = (ports: GuardPorts): Guarding => {
  const { installation, objects, work, removeMark, statusOf, clock, log } = ports;
  const leave = async (): Promise<string | undefined> => {
    const { living, freeze } = await standingOf(ports);
    if (living.length > 0)
      return `Installation ${installation} still has ${renderBlockingObjects(living)}: delete the clusters and wait until they are gone, then run npm run destroy again; npm run destroy -- --force leaves their machines behind`;
    // A frozen installation may have left resources in the account, so the mark stays for the next one.
    if (!freeze) await removeMark();
    return undefined;
  };
  return {
    log,
    refusal: async (stack) => {
      const by = await forcedBy(work, stack, clock.now());
      if (by === undefined) return leave();
      const despite = await leave().catch((error: Error) => error.message);
      log.info('Deletion forced', { by, despite });
      return undefined;
    },
    refusalOfSettings: async (stack, change) => {
      const { formatDuring, refusalOfSettings } = await import('./settings-change.ts');
      const refusal = refusalOfSettings({ ...change, status: await statusOf(stack) });
      if (refusal === undefined) await lowerFormat(objects, formatDuring(change));
      return refusal;
    },
    deployed: (format) => recordFormat(objects, format),
  };
};

/** Created on first use, so that an invalid environment is answered to CloudFormation too. */
export const lazyGuarding = (make: () => Guarding): Guarding => ({
  log: lambdaLog({ clock: systemClock }),
  refusal: async (stack) => make().refusal(stack),
  refusalOfSettings: async (stack, change) => make().refusalOfSettings(stack, change),
  deployed: async (format) => make().deployed(format),
});

export const guardingOf = ({ INSTALLATION, OBJECTS_TABLE, WORK_TABLE }: GuardingEnvironment): Guarding => {
  const clock = systemClock;
  const [tables, parameters, stacks] = [patientDynamoDb(), ssm(), cloudFormation()];
  return createGuarding({
    installation: INSTALLATION,
    objects: dynamoTable({ client: tables, tableName: OBJECTS_TABLE, clock }),
    work: dynamoTable({ client: tables, tableName: WORK_TABLE, clock }),
    marker: parameterMarker({ client: parameters, installation: INSTALLATION }),
    removeMark: () => removeParameterMark(parameters, INSTALLATION),
    statusOf: (stack) => stackStatus(stacks, stack),
    clock,
    log: lambdaLog({ clock }),
  });
};
