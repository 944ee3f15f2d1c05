/** What polls and fires, reached only when it is switched. */
import type { AwakeOptions, Switch } from '../../adapters/aws/timers/awake.ts';
import type { Clock } from '../../machinery/ports.ts';
import type { DispatchingEnvironment } from '../environment.ts';

export interface Switches extends Pick<AwakeOptions, 'mappings' | 'schedules'> {
  /** The mappings of the slow queues alone. Falling asleep switches them off, waking does not switch them on. */
  slow: Switch;
}

const lazily = (load: () => Promise<Switch>): Switch => ({
  enable: async () => (await load()).enable(),
  disable: async () => (await load()).disable(),
  keep: async (enabled) => (await load()).keep(enabled),
});

const clients = () => import('../../adapters/aws/timers/clients.ts');

export const switchesOf = (environment: DispatchingEnvironment, { clock }: { clock: Clock }): Switches => {
  const { SCHEDULES, SCHEDULE_GROUP, MAPPINGS, RULES } = environment;
  const mappingsOf = (uuids: readonly string[]) =>
    lazily(async () => {
      const { mappings } = await import('../../adapters/aws/timers/mappings.ts');
      return mappings({ client: (await clients()).lambda(), uuids, clock });
    });
  const schedules = lazily(async () => {
    const [{ schedules: open }, { rules }, { together }, { scheduler, eventBridge }] = await Promise.all([
      import('../../adapters/aws/timers/schedules.ts'),
      import('../../adapters/aws/timers/rules.ts'),
      import('../../adapters/aws/timers/together.ts'),
      clients(),
    ]);
    // The rules come last: without their events the sweep finds what an instance does, without the sweep nothing does.
    return together(
      open({ client: scheduler(), names: SCHEDULES, group: SCHEDULE_GROUP }),
      rules({ client: eventBridge(), names: RULES }),
    );
  });
  const hot = mappingsOf(MAPPINGS.hot);
  const mappings = { ...hot, disable: mappingsOf([...MAPPINGS.hot, ...MAPPINGS.slow]).disable };
  return { mappings, schedules, slow: mappingsOf(MAPPINGS.slow) };
};
