import { defineConfig } from 'vitest/config';
import usual from '../vitest.config.ts';

/** Stories that take minutes: every state of an operation and every interference with it. */
export default defineConfig({
  test: { ...usual.test, include: ['**/*.long.test.ts'], exclude: ['node_modules/**'] },
});
