/** Records the states of alarms on the ScalingPlan. Pure. */
import type { Context, EventDraft, Plan } from '../../../machinery/api/reconcile.ts';
import { alarmNotFound, alarmStatesOf, alarmsAnnotation, alarmsNote } from '../../common/autoscale/alarm-states.ts';
import { isPassing } from '../engine/step.ts';
import type { Observed } from './observe.ts';

/** Seconds until the alarms are read again: an event may be lost, or overtake another one. */
const healing = 300;
/** Seconds until the next attempt after throttling, or without an infrastructure object. */
const soon = 15;

export const reconcile = ({ plan, states, unreadable, isEarly }: Observed, _: Context): Plan => {
  if (isEarly || (unreadable !== undefined && isPassing(unreadable))) return { requeueAfter: soon };
  if (unreadable !== undefined) {
    const message = `The alarms cannot be read, and count as before: ${unreadable}`;
    return { events: [{ type: 'Warning', reason: 'AlarmsUnreadable', message }], requeueAfter: healing };
  }
  if (!states) return {};
  const note = alarmsNote(states);
  const before = alarmStatesOf(plan);
  const missing = Object.keys(states).filter(
    (name) => states[name] === alarmNotFound && before[name] !== alarmNotFound,
  );
  const events = missing.map(
    (name): EventDraft => ({ type: 'Warning', reason: 'AlarmNotFound', message: `There is no alarm ${name}` }),
  );
  return {
    ...(plan.metadata.annotations?.[alarmsAnnotation] !== note && {
      intent: { metadata: { annotations: { [alarmsAnnotation]: note ?? null } } },
    }),
    ...(events.length > 0 && { events }),
    ...(note !== undefined && { requeueAfter: healing }),
  };
};
