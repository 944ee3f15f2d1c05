import type { KindFacts } from '../../../machinery/api/kind.ts';
import { eventsLast } from './lifetime.ts';

export const coreEvent: KindFacts = {
  group: '',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  endsAfter: eventsLast,
};

export const event: KindFacts = {
  group: 'events.k8s.io',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  storedAs: 'events',
  endsAfter: eventsLast,
};
