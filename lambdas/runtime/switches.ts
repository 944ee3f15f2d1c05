/** Mappings, rules and schedules, whose clients are loaded only to switch them. */
import type { AwakeOptions, Switch } from '../../adapters/aws/timers/awake.ts';
import type { Clock } from '../../machinery/ports.ts';
import type { DispatchingEnvironment } from '../environment.ts';

export interface Switches extends Pick<AwakeOptions, 'mappings' | 'schedules'> {
  /** The mappings of the slow queues. Sleeping disables them; waking does not enable them. */
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
    // Rules come last: the sweep replaces their events, and no event replaces the sweep.
    return together(
      open({ client: scheduler(), names: SCHEDULES, group: SCHEDULE_GROUP }),
      rules({ client: eventBridge(), names: RULES }),
    );
  });
  const hot = mappingsOf(MAPPINGS.hot);
  const mappings = { ...hot, disable: mappingsOf([...MAPPINGS.hot, ...MAPPINGS.slow]).disable };
  return { mappings, schedules, slow: mappingsOf(MAPPINGS.slow) };
};
