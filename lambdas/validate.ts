/** Validation of events and environments. */

import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { once } from '../machinery/once.ts';

const inEnglish = once(() => z.config(en()));

/** Parses the value. Throws an error that starts with `refusal` and names every violation. */
export const checked = <S extends z.ZodMiniType>(schema: S, value: unknown, refusal: string): z.output<S> => {
  inEnglish();
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`${refusal}: ${wrong.join('; ')}`);
};
