import { runStatus } from "@agentflow/contract";
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { m } from "../messages/index.ts";
import type { Hour } from "./numbers.ts";

const HEIGHT_PX = 220;
const TICK = { fill: "var(--quiet)", fontSize: 12 };

/** Runs by the hour of their start, coloured by their status now. A module of its own: the library is fetched when needed. */
export default function RunsOverTime({ hours }: { readonly hours: readonly Hour[] }) {
  const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
  const rows = hours.map((one) => ({ ...one, label: hour.format(one.startMs) }));
  return (
    <div className="chart">
      <ResponsiveContainer width="100%" height={HEIGHT_PX}>
        <BarChart data={rows} title={m.overview.overTime} margin={{ top: 8, right: 8, bottom: 0, left: -16 }}>
          <CartesianGrid vertical={false} />
          <XAxis dataKey="label" tickLine={false} minTickGap={24} tick={TICK} />
          <YAxis allowDecimals={false} tickLine={false} axisLine={false} tick={TICK} />
          <Tooltip isAnimationActive={false} cursor={{ className: "chart-cursor" }} />
          <Legend itemSorter={null} />
          {runStatus.options.map((status) => (
            <Bar
              key={status}
              dataKey={status}
              name={m.status[status]}
              stackId="runs"
              fill={`var(--chart-${status})`}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
