/** The mapping of the objects' stream, for the sweep. */
import type { ChangesWatch } from '../../adapters/aws/timers/changes.ts';
import type { Clock } from '../../machinery/ports.ts';
import type { DispatchingEnvironment } from '../environment.ts';

/** Undefined if the deployment names no mapping. */
export const changesOf = (
  { CHANGES: uuid, OBJECTS_TABLE: tableName }: Pick<DispatchingEnvironment, 'CHANGES' | 'OBJECTS_TABLE'>,
  { clock }: { clock: Clock },
): ChangesWatch | undefined =>
  uuid === undefined
    ? undefined
    : {
        keep: async () => {
          const [{ changes }, { lambda }, { patientDynamoDb }] = await Promise.all([
            import('../../adapters/aws/timers/changes.ts'),
            import('../../adapters/aws/timers/clients.ts'),
            import('../../adapters/aws/lambda/clients.ts'),
          ]);
          return changes({ tables: patientDynamoDb(), functions: lambda(), tableName, uuid, clock }).keep();
        },
      };
