/** The tests that Stryker may use to kill mutants: those beside the decisions. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['kinds/**/*.test.ts', 'machinery/api/*.test.ts', 'machinery/controller/*.test.ts'],
    // Each runs a pass once per effect, and kills almost no mutant that others do not.
    exclude: ['**/crash.test.ts'],
    isolate: false,
    testTimeout: 60_000,
  },
});
