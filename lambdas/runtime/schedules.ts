/** The schedules, reached only when a Cluster comes or goes. */
import type { Timers } from '../../adapters/aws/timers/schedules.ts';
import type { DispatchingEnvironment } from '../environment.ts';

const load = async ({ SCHEDULES, SCHEDULE_GROUP }: DispatchingEnvironment): Promise<Timers> => {
  const [{ schedules }, { scheduler }] = await Promise.all([
    import('../../adapters/aws/timers/schedules.ts'),
    import('../../adapters/aws/lambda/clients.ts'),
  ]);
  return schedules({ client: scheduler(), names: SCHEDULES, group: SCHEDULE_GROUP });
};

export const schedulesOf = (environment: DispatchingEnvironment): Timers => ({
  enable: async () => (await load(environment)).enable(),
  disable: async () => (await load(environment)).disable(),
});
