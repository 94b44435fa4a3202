import { API_VERSION } from '../../../config/api-version.ts';
import { doctorReport, lackOf } from '../../decide/doctor/report.ts';
import { EXIT, Failure } from '../../exit.ts';
import { defineCommand } from '../console/command.ts';
import {
  CONFIGURATION_OPTIONS,
  OUTPUT_OPTIONS,
  ROOT_OPTIONS,
  SEEN_MACHINE_OPTIONS,
} from '../console/options.ts';
import { printDocument } from '../console/print.ts';
import { doctorTable } from './doctor-table.ts';
import { gatherFacts } from './gather.ts';

export const doctorCommand = defineCommand({
  signature: 'doctor',
  summary: 'What a node offers, and what of nodeqos will work there',
  positionals: {},
  options: {
    ...ROOT_OPTIONS,
    ...CONFIGURATION_OPTIONS,
    ...SEEN_MACHINE_OPTIONS,
    ...OUTPUT_OPTIONS,
  },
  run: async (args, io) => {
    const report = doctorReport(await gatherFacts(args, io.env));
    printDocument(io, args.output, { apiVersion: API_VERSION, kind: 'DoctorReport', ...report }, () =>
      doctorTable(report, {
        columns: io.columns,
        inColour: io.isTerminal && (io.env['NO_COLOR'] ?? '') === '',
      }),
    );
    const lack = lackOf(report.checks);
    if (lack === undefined) return EXIT.ok;
    throw new Failure(
      EXIT.unavailable,
      `nodeqos cannot do its work here: ${lack.title}: ${lack.found}; ${lack.remedy ?? 'nothing helps'}`,
    );
  },
});
